/** Reads the message catalogues as files, and finds the values that each message needs. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { CONSOLE_WORDS } from '../../console/words/translate.ts'
import { compile } from '../../messages/translate.ts'

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

const COUNTS = /^(bytes|chars|count|days|hours|keys|levels|limit|lines|max|minutes|seconds|tries)$/
/** An abbreviated unit has no plural. */
const NOUN = /^\s+(?!(?:с|мин|шт|s|min)(?!\p{L}))\p{Ll}/u

/** Returns whether a number stands in front of its noun outside of a plural. Armenian nouns stay as they are. */
export function standsBare(language: string, text: string): boolean {
  const look = (elements: MessageFormatElement[], counted: readonly string[]): boolean =>
    elements.some((element, at) => {
      if (element.type === TYPE.plural || element.type === TYPE.select) {
        const inside = element.type === TYPE.plural ? [...counted, element.value] : counted
        return Object.values(element.options).some(({ value }) => look(value, inside))
      }
      const isNumber =
        element.type === TYPE.number || (element.type === TYPE.argument && COUNTS.test(element.value))
      const next = elements[at + 1]
      if (!isNumber || counted.includes(element.value)) return false
      return next?.type === TYPE.literal && NOUN.test(next.value)
    })
  return look(compile(language, text).getAst(), [])
}

/** Returns the forms that a plural of the message lacks in its language. */
export function missingForms(language: string, text: string): string[] {
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const missing: string[] = []
  walk(compile(language, text).getAst(), (element) => {
    if (element.type === TYPE.plural) missing.push(...needed.filter((form) => !(form in element.options)))
  })
  return missing
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

/** The same for the words of the console. A key without values is not listed. */
export function writeConsoleTypes(): string {
  const rows = Object.entries(CONSOLE_WORDS.en)
    .map(([key, text]) => ({ key, type: typeOf(text) }))
    .filter(({ type }) => type !== 'None')
    .map(({ key, type }) => `  ${quoted(key)}: ${type}`)
  const head =
    '/** Written by `npm run generate -- messages` from the English words: what each sentence needs. */'
  return `${[head, 'export type ConsoleValues = {', ...rows, '}'].join('\n')}\n`
}
