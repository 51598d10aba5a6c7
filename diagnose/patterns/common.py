"""Words that stand in lines of all kinds of logs: a literal that is only one of them says nothing of a line."""

from __future__ import annotations

_WORDS = """
    about access action active address after agent allocated amd64 answer app apps array attempt auth available
    backend base batch before begin bin block boot buffer build bytes cache call called cannot cause change
    channel check child class clear client close closed cmd code com command complete compute config connect
    connection container context control copy core count cpu create created current data date debug default
    delete denied detail dev device dir disk docker done down download driver duration empty enable enabled end
    engine entry env error errors event exception exec exit exited expected fail failed failure false fatal file
    files find first flag for format found frame free from func function get got group handler hash header
    health host http https id image index info init input instance int internal invalid io ip job kernel key
    kill killed kind label last layer len length level lib limit line linux list load loaded loading local lock
    log logs loop main manager max mem memory message method min mode model module more mount msg name net
    network new next node none not note notice null num number object off offset ok open option order out output
    package packet page parse path pid pool port post power process progress proxy put python queue range rate
    raw read ready reason receive received record register release remote remove removed repeat replace reply
    req request reset resource response restart result return returned root route rule run running runtime save
    scan search sent server service session set shape signal size skip slot socket source stack start started
    starting state stats status step stop stopped storage stream string success supported sync sys system table
    tag target task tcp temp tensor test text thread time timeout token total trace transfer true type uid unix
    unknown unsupported update upload url user using usr valid value var version video view wait waiting warn
    warning web windows with work worker write yes zero
"""

COMMON = frozenset(_WORDS.split())
