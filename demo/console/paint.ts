import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Formats a text with colours, or returns it unchanged. */
export type Paint = (format: Format, text: string) => string;

/** Returns a function that uses colours if the stream is a terminal and `NO_COLOR` is not set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (format, text) => styleText(format, text, { stream });
}
