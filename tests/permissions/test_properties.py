"""What holds for all rules and subjects: narrowing narrows, and nothing hangs on an order."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from glossator.core.permission import Access, Mode
from glossator.permissions.command_words import CommandWords
from glossator.permissions.decide import Allow, Ask, Deny, decision_about
from glossator.permissions.policy import Policy, Restrictions, Rule, UserRules, parse_rule
from glossator.permissions.subject import CallSubject, ResolvedPath, ShellScript
from glossator.shell.script import UncertainWord
from tests.permissions.asking import PLACES

_examples = settings(max_examples=100, deadline=None)
STRICTNESS = {Allow: 0, Ask: 1, Deny: 2}

_tools = st.sampled_from("Bash Edit Read Write Move Grep Todo mcp__a__b".split())
_rule_names = "* Bash Edit Read Write Grep Todo mcp__a mcp__a__b".split()
_words = st.lists(st.sampled_from("rm ls a /bin/rm env sudo RM -f".split()), min_size=1, max_size=3)
_patterns = st.sampled_from(
    "a /a a/** **/b a/ //ws/a //ws/** ~/a ~/** *.c [ab] A /etc .env".split()
)
_paths = st.sampled_from(
    "/ws/a /ws/a/b /ws/A /ws/b /ws/x.c /ws /ws/.env /ws/.git/x /ws-evil/a /home/me/a /etc".split()
)
_rules: st.SearchStrategy[Rule] = st.one_of(
    st.sampled_from(_rule_names).map(parse_rule),
    st.builds("Bash({}{})".format, _words.map(" ".join), st.sampled_from(["", ":*"])).map(
        parse_rule
    ),
    st.builds("{}({})".format, st.sampled_from(["Edit", "Read"]), _patterns).map(parse_rule),
)
_lists = st.lists(_rules, max_size=3).map(tuple)
_targets = st.builds(
    lambda names, ends: ResolvedPath(names[0], tuple(dict.fromkeys(names + ends)), tuple(ends)),
    st.lists(_paths, min_size=1, max_size=2),
    st.lists(_paths, max_size=2, unique=True),
)
_several = st.lists(_targets, max_size=2).map(tuple)
_given_words = _words.map(
    lambda words: tuple(UncertainWord(word) if word == "-f" else word for word in words)
)
_commands = st.lists(_given_words, max_size=3).map(tuple)
_scripts = st.builds(
    ShellScript,
    _commands,
    st.lists(_given_words, max_size=1).map(frozenset),
    _several,
    st.sampled_from([None, "no sandbox"]),
    st.lists(st.sampled_from(["", "rm $x", "l's'"]), max_size=1).map(tuple),
    _commands,
    st.booleans(),
)
_subjects = st.one_of(
    st.builds(CallSubject, _tools, st.sampled_from(Access), _several),
    st.builds(CallSubject, st.just("Bash"), st.just(Access.EXECUTE), _several, _scripts),
)
_all_rules = st.builds(UserRules, _lists, _lists, _lists)
_policies = st.builds(
    Policy,
    st.sampled_from(Mode),
    st.just(PLACES),
    _all_rules,
    _all_rules,
    st.builds(Restrictions, _lists, _lists),
)

# What is asked about because nothing forbids or allows it, as a rule.
_inside = st.sampled_from("/ws/a /ws/a/b /ws/b /ws/x.c".split()).map(
    lambda path: ResolvedPath(path, (path,), (path,))
)
_plain_commands = st.lists(_words.map(tuple), min_size=1, max_size=3).map(tuple)
_none_read = st.just(frozenset[CommandWords]())
_open_subjects = st.one_of(
    st.builds(
        CallSubject,
        st.sampled_from(["Edit", "Write"]),
        st.just(Access.WRITE),
        st.lists(_inside, min_size=1, max_size=2).map(tuple),
    ),
    st.builds(
        CallSubject,
        st.just("Bash"),
        st.just(Access.EXECUTE),
        st.just(()),
        st.builds(ShellScript, _plain_commands, _none_read, st.just(()), st.none()),
    ),
)
_allowing = st.builds(UserRules, allow=_lists)
_open_policies = st.builds(Policy, st.just(Mode.ASK), st.just(PLACES), _allowing, _allowing)


def strictness(subject: CallSubject, policy: Policy) -> int:
    return STRICTNESS[type(decision_about(subject, policy))]


@_examples
@given(_subjects, _policies, _rules)
def test_a_deny_rule_never_widens(subject: CallSubject, policy: Policy, rule: Rule) -> None:
    wider = replace(policy, user=replace(policy.user, deny=(*policy.user.deny, rule)))
    assert strictness(subject, wider) >= strictness(subject, policy)


@_examples
@given(_subjects, _policies, _rules)
def test_an_ask_rule_never_widens(subject: CallSubject, policy: Policy, rule: Rule) -> None:
    wider = replace(policy, session=replace(policy.session, ask=(*policy.session.ask, rule)))
    assert strictness(subject, wider) >= strictness(subject, policy)


@_examples
@given(_subjects, _policies, _lists, _lists)
def test_a_workspace_never_widens(
    subject: CallSubject, policy: Policy, deny: tuple[Rule, ...], ask: tuple[Rule, ...]
) -> None:
    said = Restrictions((*policy.workspace.deny, *deny), (*policy.workspace.ask, *ask))
    assert strictness(subject, replace(policy, workspace=said)) >= strictness(subject, policy)
    bare = replace(policy, workspace=Restrictions())
    assert strictness(subject, policy) >= strictness(subject, bare)


@_examples
@given(_subjects, _policies, _rules)
def test_an_allow_rule_never_narrows(subject: CallSubject, policy: Policy, rule: Rule) -> None:
    wider = replace(policy, user=replace(policy.user, allow=(*policy.user.allow, rule)))
    assert strictness(subject, wider) <= strictness(subject, policy)


@_examples
@given(_subjects, _policies, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(
    subject: CallSubject, policy: Policy, random: Random
) -> None:
    def mixed(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(random.sample(rules, len(rules)))

    def all_mixed(rules: UserRules) -> UserRules:
        return UserRules(mixed(rules.deny), mixed(rules.ask), mixed(rules.allow))

    said = Restrictions(mixed(policy.workspace.deny), mixed(policy.workspace.ask))
    other = replace(
        policy, user=all_mixed(policy.user), session=all_mixed(policy.session), workspace=said
    )
    assert decision_about(subject, other) == decision_about(subject, policy)


@_examples
@given(_subjects, _policies)
def test_each_mode_allows_what_the_one_before_does(subject: CallSubject, policy: Policy) -> None:
    levels = [strictness(subject, replace(policy, mode=mode)) for mode in Mode]
    assert levels == sorted(levels, reverse=True)


@_examples
@given(_open_subjects, _open_policies)
def test_what_is_suggested_allows_it(subject: CallSubject, policy: Policy) -> None:
    decision = decision_about(subject, policy)
    assume(isinstance(decision, Ask) and decision.suggestions)
    assert isinstance(decision, Ask)
    allow = (*policy.session.allow, *decision.suggestions)
    wider = replace(policy, session=replace(policy.session, allow=allow))
    assert decision_about(subject, wider) == Allow()


_open_scripts = st.builds(ShellScript, _plain_commands, _none_read, _several, st.just("no sandbox"))
_unclear_scripts = st.builds(
    ShellScript, _plain_commands, _none_read, _several, st.none(), st.just(('x "$y"',))
)


@_examples
@given(
    st.builds(CallSubject, st.just("Bash"), st.just(Access.EXECUTE), _several, _open_scripts),
    _policies,
)
def test_nothing_outside_a_sandbox_is_ever_allowed(subject: CallSubject, policy: Policy) -> None:
    assert decision_about(subject, policy) != Allow()


@_examples
@given(
    st.builds(CallSubject, st.just("Bash"), st.just(Access.EXECUTE), _several, _unclear_scripts),
    _policies,
)
def test_nothing_unclear_is_allowed_but_by_the_mode_that_trusts_the_sandbox(
    subject: CallSubject, policy: Policy
) -> None:
    assume(policy.mode is not Mode.AUTO)
    assert decision_about(subject, policy) != Allow()


@_examples
@given(_subjects, _policies)
def test_nothing_unresolved_is_ever_allowed(subject: CallSubject, policy: Policy) -> None:
    nowhere = replace(subject, targets=(*subject.targets, ResolvedPath("x", ("/ws/x",), ())))
    assert isinstance(decision_about(nowhere, policy), Deny)
