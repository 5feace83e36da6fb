/** What the ASVS table says can be checked: the files that it names, and its list of algorithms. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const table = readFileSync('server/guides/asvs.md', 'utf8')
const lineOf = (requirement: string) =>
  table.split('\n').find((line) => line.startsWith(`| ${requirement} `)) ?? ''

test('every test and file that the table names exists', () => {
  const named = [...table.matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(40)
  const missing = named.filter(
    (path) =>
      ![`server/${path}`, path].some((each) => existsSync(each)) &&
      !existsSync(`widget/${path.replace('widget/', '')}`),
  )
  expect(missing).toEqual([])
})

/** As they are written in the code, and in the table. */
const WRITTEN: Record<string, string> = {
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  'aes-256-gcm': 'AES-256-GCM',
  'aes-256-ctr': 'AES-256-CTR',
}

test('the table lists every algorithm that the code uses', () => {
  const files = globSync('{server,widget}/**/*.ts').filter(
    (path) => !/\.(test|suite|long)\.ts$|\/testing\//.test(path),
  )
  const used = files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/'(sha-?\d+|md5|aes-[\w-]+|hmac-\w+|rsa-\w+|ed25519)'/gi)].map(
      ([, name = '']) => name.toLowerCase().replace(/^sha-/, 'sha'),
    ),
  )
  expect(used.length).toBeGreaterThan(10)
  const unknown = new Set(used.filter((name) => !lineOf('11.1.2').includes(WRITTEN[name] ?? 'unlisted')))
  expect([...unknown]).toEqual([])
})
