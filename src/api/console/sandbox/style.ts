const CODES = { bold: 1, red: 31, green: 32, yellow: 33, cyan: 36, gray: 90 } as const;

/** Text in a colour of the terminal. */
export function styleText(style: keyof typeof CODES, text: string): string {
  return `\u001b[${CODES[style]}m${text}\u001b[0m`;
}
