/** A JSON value as a literal of a programming language, indented by two spaces a level. */
export type Syntax = {
  open: Record<'list' | 'map', string>
  close: Record<'list' | 'map', string>
  key(name: string): string
  text(value: string): string
  words: { true: string; false: string; null: string }
}

export function literal(value: unknown, syntax: Syntax, indent = 0): string {
  if (value === null || typeof value === 'boolean') return syntax.words[`${value}`]
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value !== 'object') return String(value)
  const kind = Array.isArray(value) ? 'list' : 'map'
  const pad = ' '.repeat(indent + 2)
  const lines = Object.entries(value).map(
    ([name, entry]) =>
      `${pad}${kind === 'map' ? syntax.key(name) : ''}${literal(entry, syntax, indent + 2)},`,
  )
  if (lines.length === 0) return `${syntax.open[kind]}${syntax.close[kind]}`
  return `${syntax.open[kind]}\n${lines.join('\n')}\n${' '.repeat(indent)}${syntax.close[kind]}`
}

/** Between single quotes, as JavaScript, Python and PHP read them alike. */
export const quoted = (text: string): string =>
  `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`

export const identifier = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoted(name))

export const JAVASCRIPT: Syntax = {
  open: { list: '[', map: '{' },
  close: { list: ']', map: '}' },
  key: (name) => `${identifier(name)}: `,
  text: quoted,
  words: { true: 'true', false: 'false', null: 'null' },
}

export const PYTHON: Syntax = {
  ...JAVASCRIPT,
  key: (name) => `${quoted(name)}: `,
  words: { true: 'True', false: 'False', null: 'None' },
}

export const PHP: Syntax = {
  ...JAVASCRIPT,
  open: { list: '[', map: '[' },
  close: { list: ']', map: ']' },
  key: (name) => `${quoted(name)} => `,
}
