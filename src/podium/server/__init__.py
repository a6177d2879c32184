"""The labelling server: a JSON API and pages over one store. ``make_app`` makes the application; ``podium serve`` runs it.

===============  ==========================================================================
app              the application, put together
callers          who asks, and what they may do
security, rates  what is checked before a request is looked at, and said with every answer
problems         errors as JSON or as a page
shapes, given    what the API takes and gives
documents        documents that others wrote, made harmless
tidying          their HTML put in order, before it is cleaned
uploads          files that are sent
static_files     our own scripts, styles and pictures
api, pages       the routes
running          processes and signals
===============  ==========================================================================
"""
