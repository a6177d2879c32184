#!/bin/sh
# Install what the browser tests need: Debian's Chromium, and axe-core for the checks of accessibility.
# Where one cannot be had this says so and ends well; the tests that need it then skip with the same reason.
# Usage: install_browser.sh FOLDER   (axe-core goes below it)
AXE=4.14.0

say() { echo "browser tests: $1" >&2; }

if ! command -v chromium >/dev/null 2>&1; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    if command -v apt-get >/dev/null 2>&1 && $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null; then
        say "installed Debian's chromium"
    else
        say "no chromium here, and it cannot be installed (Debian's package chromium, as root); tests in a browser will be skipped"
    fi
fi

if [ ! -f "$1/node_modules/axe-core/axe.min.js" ]; then
    if command -v npm >/dev/null 2>&1 && npm install --silent --no-audit --no-fund --no-save --prefix "$1" "axe-core@$AXE" >/dev/null; then
        say "installed axe-core $AXE"
    else
        say "axe-core cannot be installed (npm install axe-core@$AXE); checks of accessibility will be skipped"
    fi
fi
exit 0
