"""Hostile and broken submissions, as data, and how a class is made of them."""
