// Requests to our own server that survive a lost connection: what fails in passing is sent again until the server has answered.

const WAITS = [500, 1000, 2000, 4000, 8000]; // milliseconds, the last for ever
const PATIENCE = 20000;

// What the server says; status 0 if it could not be reached.
export async function request(method, path, body) {
  try {
    const response = await fetch(path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE),
    });
    const said = await response.text();
    const data = response.ok || isJson(response) ? JSON.parse(said || "null") : null; // a proxy may say "bad gateway" in its own way
    const { code = "", message = "", recorded: isRecorded = false } = (!response.ok && data?.error) || {};
    return { status: response.status, data, code, message, isRecorded, after: Number(response.headers.get("Retry-After")) * 1000 };
  } catch {
    return { status: 0, data: null, code: "", message: "", isRecorded: false, after: 0 };
  }
}

function isJson(response) {
  return (response.headers.get("Content-Type") ?? "").startsWith("application/json");
}

// Send until the server has given an answer that will not change by waiting. `tell` hears of every failure.
export async function untilAnswered(send, tell) {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await send();
    if (reply === null || !isPassing(reply)) return reply;
    tell(reply);
    await soon(Math.max(WAITS[Math.min(attempt, WAITS.length - 1)], reply.after));
  }
}

// Whether the same may be answered otherwise in a while.
export function isPassing(reply) {
  return reply.status === 0 || reply.status === 429 || reply.status >= 500;
}

// Wait so long, or until the browser says that the connection is back.
function soon(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
  });
}
