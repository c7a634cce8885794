// Where the chat panel begins.

export {};
