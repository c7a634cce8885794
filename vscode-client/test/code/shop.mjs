// A small program with mistakes in it, for stories about changing it.

export const PRICES = `"""Prices, with and without the tax."""

VAT = 0.19


def net(price):
    return price / (1 - VAT)


def gross(price):
    return price * (1 - VAT)


def show(price):
    print(price)
`;
