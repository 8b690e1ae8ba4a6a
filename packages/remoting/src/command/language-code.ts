/** The programming language of a peer: a name in JSON headers, a byte in ROCKETMQ headers (reference: remoting 2.4). */
export const LanguageCode = {
  JAVA: 0,
  CPP: 1,
  DOTNET: 2,
  PYTHON: 3,
  DELPHI: 4,
  ERLANG: 5,
  RUBY: 6,
  OTHER: 7,
  HTTP: 8,
  GO: 9,
  PHP: 10,
  OMS: 11,
  RUST: 12,
  NODE_JS: 13,
} as const;

export type LanguageName = keyof typeof LanguageCode;

const names = Object.keys(LanguageCode) as LanguageName[];

/** The name of a byte; `undefined` for one that no release knows, which is no error. */
export function languageName(code: number): LanguageName | undefined {
  return names[code];
}

/** Whether a text is one of the names. */
export function isLanguageName(text: string): text is LanguageName {
  return Object.hasOwn(LanguageCode, text);
}
