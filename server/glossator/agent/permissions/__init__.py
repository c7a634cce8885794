"""Who may do what: rules, modes and protected paths decide before a tool acts.

`decide` is a pure function of a `Subject` (what is asked about) and a `Policy` (what holds now);
`Grants` keeps what the user answered. What the tools themselves refuse, they refuse all the same.
"""
