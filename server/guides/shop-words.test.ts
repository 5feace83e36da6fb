/** The guides for owners name buttons and screens in bold: each is a text that the console, a page or a mail has in that language. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CONSOLE_WORDS } from '../console/words/translate.ts'
import { readCatalogue } from '../testing/messages/values.ts'

const FOLDER = new URL('shop/', import.meta.url)
const HOLE = /\{\w+\}/g

/** `…` stands for what differs, such as an amount. */
const shape = (text: string) => text.replaceAll(HOLE, '…').replace(/\.$/, '')

test.each(['hy', 'ru', 'en'] as const)('a button that a guide in %s names is there', (locale) => {
  const catalogues = ['bank', 'cases', 'install', 'mails', 'orders', 'pages'].map(
    (name) => readCatalogue(locale, name) ?? {},
  )
  const tables = [CONSOLE_WORDS[locale], ...catalogues]
  const known = new Set(tables.flatMap((table) => Object.values(table)).map(shape))
  const folder = new URL(`${locale}/`, FOLDER)
  const unknown = readdirSync(folder).flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name)
    expect([file, bold.length > 5]).toEqual([file, true])
    return bold.filter((name) => !known.has(shape(name))).map((name) => `${file}: ${name}`)
  })
  expect(unknown).toEqual([])
})
