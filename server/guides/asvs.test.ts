/** What the ASVS table says can be checked: the files that it names, and its list of algorithms. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const table = readFileSync('server/guides/asvs.md', 'utf8')
const lineOf = (requirement: string) =>
  table.split('\n').find((line) => line.startsWith(`| ${requirement} `)) ?? ''

const rows = table.split('\n').filter((line) => /^\| \d/.test(line))
const filesIn = (text: string) =>
  [...text.matchAll(/`([\w./-]+\.(?:ts|json|md|conf))`/g)].map(([, path = '']) => path)
const isThere = (path: string) => [`server/${path}`, path].some((each) => existsSync(each))

test('every file that the table names exists', () => {
  const named = filesIn(table)
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((path) => !isThere(path))).toEqual([])
})

test('each row that is met names a file that shows it, and the others say that they are not', () => {
  expect(rows.length).toBeGreaterThan(100)
  const isOpen = (how = '', where = '') =>
    how === 'Does not apply' || /^(operator|partly|fails)\b/.test(where)
  const bare = rows.filter((row) => {
    const [, , , how, where = ''] = row.split('|').map((cell) => cell.trim())
    return !isOpen(how, where) && filesIn(where).length === 0
  })
  expect(bare).toEqual([])
})

test('every file that signs with a key pair is named', () => {
  const signing = globSync('server/**/*.ts').filter(
    (path) =>
      !/\.test\.ts$|\/testing\//.test(path) && readFileSync(path, 'utf8').includes('createPrivateKey('),
  )
  expect(filesIn(lineOf('11.6.1'))).toEqual(
    expect.arrayContaining(signing.map((path) => path.slice('server/'.length))),
  )
})

/** As they are written in the code, and in the table. */
const WRITTEN: Record<string, string> = {
  md5: 'MD5',
  sha1: 'HMAC-SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  shake256: 'SHAKE256',
  'aes-256-gcm': 'AES-256-GCM',
}

test('the table lists every algorithm that the code uses', () => {
  const files = globSync('{server,widget}/**/*.ts').filter(
    (path) => !/\.(test|suite|long)\.ts$|\/testing\//.test(path),
  )
  const used = files.flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /'(sha-?\d+|shake\d+|md5|aes-[\w-]+|hmac-\w+|rsa-\w+|ed25519)'/gi,
      ),
    ].map(([, name = '']) => name.toLowerCase().replace(/^sha-/, 'sha')),
  )
  expect(used.length).toBeGreaterThan(10)
  const unknown = new Set(used.filter((name) => !lineOf('11.1.2').includes(WRITTEN[name] ?? 'unlisted')))
  expect([...unknown]).toEqual([])
})
