"""Documentation that is executed: examples run, commands parse, generated parts are current, the site builds strictly and is whole."""

from __future__ import annotations

import doctest
import importlib.util
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import click
import numpy as np
import pytest

import podium
from podium.cli import main, program
from podium.measures import MEASURES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_pages_and_examples() -> None:
    assert {
        "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "index.md", "ten_minutes.md", "truth.md", "data.md", "labelling.md", "people.md",
        "server.md", "studies.md", "losses.md", "models.md", "learning.md", "algorithms.md", "measures.md", "conventions.md",
        "experiments.md", "reproduction.md", "theory.md", "speed.md", "commands.md",
    } <= {page.name for page in PAGES}  # fmt: skip
    assert len(EXAMPLES) >= 2


# ---- examples ----


def executable(text: str) -> str:
    """A page as a doctest: commands of blocks marked ``sh`` become calls, and a block of TOML that names its file is written there."""

    def as_calls(block: re.Match[str]) -> str:
        if block[1] == "sh":
            return "".join(f">>> _shell({line!r})\n" for line in shell_lines(block[2])) + "\n"
        if block[1] == "toml" and (named := re.match(r"# (\S+\.toml)\n", block[2])):
            return f">>> _write({named[1]!r}, {block[2]!r})\n\n"
        return block[2]

    return FENCED.sub(as_calls, text)


def shell_lines(block: str) -> Iterator[str]:
    """The lines of a block, those that end in a backslash joined with the next; without comments."""
    for line in block.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            yield shlex.join(words)


def run(line: str) -> None:
    """What the shell would do with a line of ours."""
    name, *arguments = shlex.split(line)
    assert name == "podium", line
    assert main(arguments) == 0, line


def write(path: str, text: str) -> None:
    Path(path).write_text(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = executable(page.read_text())
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    said: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=flags).run(
        doctest.DocTestParser().get_doctest(text, {"_shell": run_quietly, "_write": write}, page.name, str(page), 0), out=said.append
    )
    assert outcome.failed == 0, "".join(said)
    assert (outcome.attempted > 0) == (">>> " in text)


def run_quietly(line: str) -> None:
    """Without its output, which a doctest would take for the result."""
    kept, sys.stdout = sys.stdout, io.StringIO()
    try:
        run(line)
    finally:
        sys.stdout = kept


def test_a_command_that_fails_fails_its_page() -> None:
    with pytest.raises(AssertionError, match="podium evaluate"):
        run("podium evaluate nowhere.txt --feature 1")


def test_blocks_marked_sh_are_run_and_toml_that_names_its_file_is_written() -> None:
    page = "```sh\npodium demo  # why\n```\n```toml\n# a.toml\nb = 1\n```\n```toml\nb = 2\n```\n```\npodium rank\n```\n"
    calls = [line for line in executable(page).splitlines() if line.startswith(">>> ")]
    assert calls == [">>> _shell('podium demo')", ">>> _write('a.toml', '# a.toml\\nb = 1\\n')"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    load(path).main()
    assert capsys.readouterr().out


# ---- commands ----


def commands_of(text: str) -> Iterator[tuple[str, bool]]:
    """Every ``podium …`` of a page, and whether it is a whole command: those of blocks are, one in a sentence may leave things out."""
    for block in FENCED.finditer(text):
        if block[1] in ("", "sh") and not block[2].startswith("Usage: "):
            ours = "\n".join(line for line in block[2].replace("\\\n", " ").splitlines() if line.startswith("podium "))
            yield from ((line, True) for line in shell_lines(ours))
    prose = FENCED.sub("", text)
    yield from ((found, False) for found in re.findall(r"`(podium [a-z][^`]*)`", prose))


def check_command(line: str, *, is_whole: bool) -> None:
    """Parse a command as click would, without looking for its files or running it."""
    words = shlex.split(line)[1:]
    context = click.Context(program, **program.context_settings)
    command: click.Command = program
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        assert name in command.commands, f"{line}: there is no command {name}; there are {', '.join(command.commands)}"
        command = command.commands[name]
        context = click.Context(command, info_name=name, parent=context)
    if isinstance(command, click.Group):
        assert not is_whole or words == ["--help"], f"{line}: which of {', '.join(command.commands)}?"
        return
    parsed, extra, _ = command.make_parser(context).parse_args(list(words))
    given = {
        name: value for name, value in parsed.items() if isinstance(value, str | list | tuple)
    }  # the rest are flags, and what is not given
    assert not extra, f"{line}: {extra} is too much"
    for parameter in command.params:
        value = given.get(parameter.name or "")
        if is_whole:
            assert value or not parameter.required, f"{line}: {parameter.name} is missing"
        if isinstance(parameter.type, click.Choice):
            for one in value if isinstance(value, list | tuple) else [value] if isinstance(value, str) else []:
                parameter.type.convert(one, parameter, context)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_a_page_shows_exist_with_their_options(page: Path) -> None:
    for line, is_whole in commands_of(page.read_text()):
        try:
            check_command(line, is_whole=is_whole)
        except click.UsageError as error:
            raise AssertionError(f"{page.name} shows {line!r}: {error.format_message()}") from error


@pytest.mark.parametrize(
    "line",
    ["podium lable x.jsonl", "podium label x.jsonl --stroe y", "podium label --by nobody", "podium rank model.json", "podium study pln"],
)
def test_commands_that_do_not_exist_are_noticed(line: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        check_command(line, is_whole=True)


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    page = "Say `podium demo` or:\n\n```\npodium rank a.json \\\n  b.txt   # why not\nls\n```\n\n```python\n>>> 'podium no'\n```\n"
    assert list(commands_of(page)) == [("podium rank a.json b.txt", True), ("podium demo", False)]


# ---- pages ----


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", FENCED.sub("", page.read_text())):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("path", [*DOCS.glob("*_page.py"), *DOCS.glob("_ext/*.py")], ids=lambda path: path.name)
def test_the_examples_of_what_makes_the_site_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    assert doctest.testmod(load(path), optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0


@pytest.mark.parametrize("maker", ["build", "pictures"])
def test_generated_parts_are_current(maker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    for path, text in load(DOCS / f"{maker}.py").pages().items():
        assert path.read_text() == text, f"{path.name} is not current; run: make docs"


def section(page: str, title: str) -> str:
    """The text below a title, up to the next of the same level."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |\Z)", (DOCS / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert found, f"{page} has no section {title}"
    return found[2]


@pytest.mark.parametrize("name", ["rankcosine", "top-k-rankcosine", "focused-net", "focused-svm", "focused-boost"])
def test_what_a_paper_leaves_open_is_marked_as_our_reading(name: str) -> None:
    assert "*(our reading)*" in section("algorithms.md", name)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_its_equation_and_a_value_by_hand(name: str) -> None:
    equations = section("measures.md", "Equations")
    assert re.search(rf"`{name}(@[lk])?`", equations)
    assert re.search(rf'"{name}[@\[\"]', equations)


@pytest.mark.parametrize(
    "said", [r"\hat g(j) = 1 +", r"\beta_j = \sum_{t : y_j > y_t}", "Terms with $\\beta_j = 0$ vanish", "DCG of 0 gives the loss 0"]
)
def test_the_cost_sensitive_loss_is_told_with_ties_and_edges(said: str) -> None:
    assert said in section("losses.md", "Cost-sensitive ListMLE")


def test_what_tools_print_is_what_our_name_for_it_gives() -> None:
    """Where scores tie, a tool may print another value too: the first is the one for the order of the input."""
    rows = [line.strip("| ").split(" | ") for line in section("conventions.md", "Who uses what").splitlines() if line.startswith("| ")]
    names = {cells[0]: (cells[4].split("`")[1].replace("@10", "@3"), cells[5]) for cells in rows[2:] if cells[5] != "not run"}
    assert len(names) >= 7
    for tool, (name, printed) in names.items():
        orders = [[1, 1, 0, 1], [0, 1, 0, 1]] if tool.startswith("scikit-learn") else [[1, 1, 0, 1]]  # both ways to break the tie
        values = [np.mean(podium.measures.evaluate(name, scores, [0, 2, 1, 0], [0, 3, 4])[name]) for scores in orders]
        assert f"{np.mean(values):.4f}" == printed.split()[0], tool


def test_the_readme_has_its_two_commands_and_they_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in ("demo", "test"):
        assert f"make {command}" in (ROOT / "README.md").read_text()
        assert f"\n{command}:" in makefile
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("exec make test")


# ---- the site ----


class Page(HTMLParser):
    """What a page of the site has: places to jump to, links, and what a browser fetches for it by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.title = ""
        self._is_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.places |= {found[name] for name in ("id", "name") if name in found and (name == "id" or tag == "a")}
        self._is_title = tag == "title" or (self._is_title and tag != "body")
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif "href" in found and tag == "link":
            self.fetched.append(found["href"])
        if "src" in found:
            self.fetched.append(found["src"])
        self.fetched += [one.split()[0] for one in found.get("srcset", "").split(",") if one.strip()]
        self.fetched += re.findall(r"url\(([^)]+)\)", found.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._is_title = self._is_title and tag != "title"

    def handle_data(self, data: str) -> None:
        self.title += data if self._is_title else ""


def _target(page: str, link: str) -> tuple[str, str]:
    parts = urlsplit(link)
    return unquote(parts.path) or page, unquote(parts.fragment)


def check_pages_are_reached_and_have_titles(html: dict[str, Page]) -> None:
    assert {f"{page.stem}.html" for page in DOCS.glob("*.md")} <= html.keys()
    reached, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in html and name not in reached:
            reached.add(name)
            waiting += [_target(name, link)[0] for link in html[name].links if not urlsplit(link).netloc]
    assert html.keys() - reached <= {"genindex.html", "search.html"}  # these are Sphinx's own
    for name, page in html.items():
        assert page.title.removesuffix("Podium").strip(" -\n") or name == "index.html", f"{name} has no title"


def check_links_lead_somewhere(site: Path, html: dict[str, Page]) -> None:
    for name, page in html.items():
        for link in page.links:
            target, place = _target(name, link)
            if urlsplit(link).scheme not in ("http", "https", "mailto"):
                assert (site / target).exists(), f"{name} links to {target}"
                assert not place or target not in html or place in html[target].places, f"{name} links to {target}#{place}"


def check_nothing_comes_from_elsewhere(site: Path, html: dict[str, Page]) -> None:
    for name, page in html.items():
        for source in page.fetched:
            parts = urlsplit(source)
            assert parts.scheme in ("", "data"), f"{name} fetches {source}"
            assert not parts.netloc, f"{name} fetches {source}"
            assert parts.scheme == "data" or (site / _target(name, source)[0]).exists(), f"{name} fetches {source}, which is not there"
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        outside = re.findall(r"(?:@import\s+|url\()\s*[\"']?(?:https?:)?//[^)\"']+", path.read_text())
        assert not outside, f"{path.name} fetches {outside}"


PARTS = {
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "mfrac": 2,
    "msubsup": 3,
    "munderover": 3,
}  # of MathML: how many parts each must have


def check_equations_are_mathml(site: Path) -> None:
    for page in DOCS.glob("*.md"):
        written = re.sub(r"`[^`]+`", "", FENCED.sub("", page.read_text()))
        equations = re.findall(r"\$\$.+?\$\$|\$[^$]+\$", written, flags=re.DOTALL)
        shown = re.sub(r"<(pre|code|script)\b.*?</\1>", "", (site / f"{page.stem}.html").read_text(), flags=re.DOTALL)
        assert shown.count("<math ") == len(equations), page.name
        for equation in re.findall(r"<math .*?</math>", shown, flags=re.DOTALL):
            for part in ElementTree.fromstring(equation).iter():
                assert len(part) == PARTS.get(part.tag.partition("}")[2], len(part)), f"{page.name} has a broken {part.tag} in {equation}"
        assert not re.search(r"\\(frac|sum|ln|mathrm|text|begin)\b|\$\$", shown), f"{page.name} shows LaTeX"
    assert "<munderover>" in (site / "losses.html").read_text()  # sums have their limits above and below


def test_the_site_builds_without_a_warning_and_is_whole(tmp_path: Path) -> None:
    """One test, since the build is what takes its time. The command is that of ``make site``."""
    site = tmp_path / "html"
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", str(tmp_path / "work"), str(DOCS), str(site)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    html = {path.name: Page(path.read_text()) for path in site.glob("*.html")}
    check_pages_are_reached_and_have_titles(html)
    check_links_lead_somewhere(site, html)
    check_nothing_comes_from_elsewhere(site, html)
    check_equations_are_mathml(site)


@pytest.mark.parametrize(
    ("latex", "is_known"), [(r"\frac{1}{2}", True), (r"\nosuchthing x", False), (r"\begin{aligned} a &= b \end{aligned}", False)]
)
def test_an_equation_that_cannot_be_shown_is_an_error(latex: str, is_known: bool) -> None:
    translate = load(DOCS / "_ext" / "mathml.py").translate
    if is_known:
        assert "<mfrac>" in translate(latex, display="inline")
    else:
        with pytest.raises(ValueError, match="cannot be shown"):
            translate(latex, display="block")
