import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { AppError, ERRORS, type ErrorCode } from './errors.ts'
import { errorBody } from './http/reply-error.ts'
import { readCatalogue } from './testing/messages/values.ts'
import { findOperatorWords } from './testing/operator-words.ts'

test('the texts of the errors name nothing that only an operator knows', () => {
  const texts = Object.values(readCatalogue('en', 'errors') ?? {})
  expect(texts.length).toBeGreaterThan(100)
  expect(findOperatorWords(texts.join('\n'))).toEqual([])
})

const SERVER = fileURLToPath(new URL('.', import.meta.url))
/** The rooms whose failures reach merchants through the API. */
const ROOMS = ['merchants', 'payments', 'http']
const files = ROOMS.flatMap((room) =>
  readdirSync(`${SERVER}${room}`, { recursive: true, encoding: 'utf8' }).map((file) => `${room}/${file}`),
).filter((file) => /(?<!\.(test|suite|long))\.ts$/.test(file))

/** Returns the text between a parenthesis and its closing parenthesis. */
function argumentsFrom(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(start, at)
  }
  throw new Error('A parenthesis is not closed.')
}

/** Returns the text of every string literal, without the code inside a template. */
function wordsOf(code: string): string {
  const literals = code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []
  return literals.map((each) => each.replaceAll(/\$\{[^}]*\}/g, '')).join('\n')
}

test('no failure that merchants, payments or http throw names what only an operator knows', () => {
  const failures = files.flatMap((file) => {
    const text = readFileSync(`${SERVER}${file}`, 'utf8')
    return [...text.matchAll(/new AppError(?=\()/g)].map(({ 0: start, index }) => ({
      file,
      words: wordsOf(argumentsFrom(text, index + start.length)),
    }))
  })
  expect(failures.length).toBeGreaterThan(50)
  const found = failures.flatMap(({ file, words }) =>
    findOperatorWords(words).map((each) => `${file}: ${each}`),
  )
  expect(found).toEqual([])
})

test("the API never shows the operator's next step", () => {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const next = [{ act: 'set_callback', merchantId: 'mer_secret' }] as const
  for (const code of codes) {
    const body = JSON.stringify(errorBody(new AppError(code, { next }), 'req_1'))
    expect(body).not.toMatch(/set_callback|mer_secret|next/)
  }
})
