/** Reads the message catalogues as files, and finds the values that each message needs. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { compile } from '../../messages/say.ts'

const FOLDER = fileURLToPath(new URL('../../messages/', import.meta.url))

export const CATALOGUES = readdirSync(`${FOLDER}en`).map((file) => basename(file, '.json'))

/** Returns null if the language has no such catalogue. */
export function readCatalogue(language: string, name: string): Record<string, string> | null {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  const file = `${language}/${name}.json`
  return files.includes(file) ? JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8')) : null
}

/** What a plural counts and what `number` formats is a number. Everything else is text. */
type Needed = Record<string, 'string' | 'number'>

/** Calls `see` for each part of a message, also in the cases of a plural. */
function walk(elements: MessageFormatElement[], see: (element: MessageFormatElement) => void): void {
  for (const element of elements) {
    see(element)
    if (element.type === TYPE.select || element.type === TYPE.plural)
      for (const option of Object.values(element.options)) walk(option.value, see)
  }
}

/** Returns the type of each value by its name. */
export function valuesOf(language: string, text: string): Needed {
  const needed: Needed = {}
  walk(compile(language, text).getAst(), (element) => {
    // A number may stand a second time as it is, without grouped digits.
    if (element.type === TYPE.argument || element.type === TYPE.select) needed[element.value] ??= 'string'
    if (element.type === TYPE.number || element.type === TYPE.plural) needed[element.value] = 'number'
    if (element.type === TYPE.date || element.type === TYPE.time)
      throw new Error(`A message does not know its reader's zone, so format the time before: ${text}`)
  })
  return needed
}

/** Returns the text of a message without its values. */
export function literalsOf(language: string, text: string): string {
  const found: string[] = []
  walk(compile(language, text).getAst(), (element) => {
    if (element.type === TYPE.literal) found.push(element.value)
  })
  return found.join(' ')
}

const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)

function typeOf(text: string): string {
  const needed = Object.entries(valuesOf('en', text)).sort()
  return needed.length === 0 ? 'None' : `{ ${needed.map(([name, type]) => `${name}: ${type}`).join('; ')} }`
}

export function writeTypes(): string {
  const rows = CATALOGUES.flatMap((name) =>
    Object.entries(readCatalogue('en', name) ?? {}).map(
      ([key, text]) => `  ${quoted(`${name}.${key}`)}: ${typeOf(text)}`,
    ),
  )
  const head = [
    '/** Written by `npm run generate -- messages` from the English catalogues: what each message needs. */',
    'type None = Record<never, never>',
  ]
  return `${[...head, '', 'export type MessageValues = {', ...rows, '}'].join('\n')}\n`
}
