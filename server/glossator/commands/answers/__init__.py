"""What commands answer that terminals decode, in files that are named as those of the commands.

They import values alone: a client decodes what it is sent without the rest of the server.
"""
