"""Other people's agents and inspectors, as their users run them; `make clients` installs them."""
