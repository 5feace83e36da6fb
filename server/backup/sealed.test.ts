/** Backups that are encrypted and signed: what reads them, and what is refused by name. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMerchant } from '../operator/create-merchant.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { openFile, sealFile } from './sealing.ts'

const run = promisify(execFile)
const KEY = randomBytes(32).toString('base64')
const OTHER = randomBytes(32).toString('base64')
const NAME = 'Tsaghkadzor Tea'
const [PART, TAG] = [65_536, 16]

describe('the parts of an encrypted file', () => {
  const key = randomBytes(32)
  const seal = (bytes: Buffer) => buffer(Readable.from(split(bytes)).pipe(sealFile(key)))
  const open = (bytes: Buffer) => buffer(Readable.from(split(bytes)).pipe(openFile(key, 'payments.sealed')))
  /** Streams cut their chunks anywhere. */
  function* split(bytes: Buffer) {
    for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
  }

  test.each([0, 1, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 17])(
    'come back as they were: %i bytes',
    async (length) => {
      const bytes = randomBytes(length)
      const sealed = await seal(bytes)
      expect(sealed.length).toBe(length + TAG * Math.max(1, Math.ceil(length / PART)))
      expect((await open(sealed)).equals(bytes)).toBe(true)
    },
  )

  const whole = PART + TAG
  const DAMAGES: Record<string, (sealed: Buffer) => Buffer> = {
    'changed in one bit': (sealed) =>
      Buffer.concat([sealed.subarray(0, 99), Buffer.of((sealed[99] ?? 0) ^ 1), sealed.subarray(100)]),
    'cut off after a whole part': (sealed) => sealed.subarray(0, whole),
    'cut off within a part': (sealed) => sealed.subarray(0, whole + 9),
    'cut off to nothing': () => Buffer.alloc(0),
    reordered: (sealed) =>
      Buffer.concat([
        sealed.subarray(whole, 2 * whole),
        sealed.subarray(0, whole),
        sealed.subarray(2 * whole),
      ]),
    'without its middle': (sealed) => Buffer.concat([sealed.subarray(0, whole), sealed.subarray(2 * whole)]),
    'with its last part twice': (sealed) => Buffer.concat([sealed, sealed.subarray(2 * whole)]),
  }
  test.each(Object.entries(DAMAGES))(
    'are refused by the name of the file if it was %s',
    async (_, damage) => {
      const sealed = await seal(randomBytes(2 * PART + 500))
      await expect(open(damage(sealed))).rejects.toThrow('payments.sealed was changed, cut off or exchanged')
    },
  )

  test('pass through little memory: the end gets a part soon after the beginning has sent it', {
    tags: ['long'],
  }, async () => {
    // Four times what may be on its way at once.
    const [total, chunk] = [64 * PART, Buffer.alloc(PART)]
    let [sent, seen, most] = [0, 0, 0]
    await pipeline(
      (function* () {
        for (; sent < total; sent += chunk.length) yield chunk
      })(),
      sealFile(key),
      openFile(key, 'large'),
      async (source: AsyncIterable<Buffer>) => {
        for await (const part of source) {
          seen += part.length
          most = Math.max(most, sent - seen)
        }
      },
    )
    expect(seen).toBe(total)
    expect(most).toBeLessThan(16 * PART)
  })
})

describe('a backup under BACKUP_KEY', () => {
  let kassa: Kassa
  let folder: string
  let empty: TestDatabase
  const at = (name: string) => join(folder, name)
  const given = (BACKUP_KEY = '') => ({ DATABASE_URL: kassa.databaseUrl, BACKUP_KEY })
  const verify = (name: string, BACKUP_KEY: string, ...rest: string[]) =>
    operate(given(BACKUP_KEY), ['backup', 'verify', '--from', at(name), '--on', empty.url, ...rest])
  const create = async (name: string, key: string) =>
    expect(await operate(given(key), ['backup', 'create', '--to', at(name)])).toMatchObject({ code: 0 })
  const copy = async (name: string) => {
    await cp(at('sealed'), at(name), { recursive: true })
    return (file: string) => join(at(name), file)
  }
  beforeAll(async () => {
    kassa = await startKassa()
    folder = await mkdtemp(join(tmpdir(), 'kassa-sealed-'))
    await createMerchant(kassa.ctx, { name: NAME, callbackUrl: undefined })
    empty = await createEmptyDatabase(inject('postgresUrl'))
    for (const [name, key] of [
      ['sealed', KEY],
      ['plain', ''],
    ] as const)
      await create(name, key)
  })
  afterAll(async () => {
    await kassa.close()
    await empty.drop()
    await rm(folder, { recursive: true })
  })

  const REFUSED: [string, (file: (name: string) => string) => Promise<unknown>, string][] = [
    [
      'with a changed manifest',
      async (file) => {
        const text = await readFile(file('manifest.json'), 'utf8')
        await writeFile(file('manifest.json'), text.replace('"rows": 1', '"rows": 2'))
      },
      'manifest.json was changed',
    ],
    [
      'without its signature',
      (file) => rm(file('manifest.json.sig')),
      'its signature manifest.json.sig is missing',
    ],
    [
      'with two tables exchanged',
      async (file) => {
        await rename(file('kassa.origins.gz.sealed'), file('held'))
        await rename(file('kassa.merchants.gz.sealed'), file('kassa.origins.gz.sealed'))
        await rename(file('held'), file('kassa.merchants.gz.sealed'))
      },
      'gz.sealed was changed, cut off or exchanged',
    ],
    [
      'with a table of another backup',
      async (file) => {
        await create('again', KEY)
        await cp(join(at('again'), 'kassa.merchants.gz.sealed'), file('kassa.merchants.gz.sealed'))
      },
      'kassa.merchants.gz.sealed was changed, cut off or exchanged',
    ],
    [
      'with a table cut off',
      async (file) => {
        const bytes = await readFile(file('kassa.merchants.gz.sealed'))
        await writeFile(file('kassa.merchants.gz.sealed'), bytes.subarray(0, -1))
      },
      'kassa.merchants.gz.sealed was changed, cut off or exchanged',
    ],
    [
      'without a table',
      (file) => rm(file('kassa.merchants.gz.sealed')),
      'kassa.merchants.gz.sealed cannot be read (ENOENT',
    ],
  ]
  /** `npm test` has the one that would restore other rows. The tests above have each change of a file. */
  const SHORT = ['with a table of another backup']
  for (const [name, damage, message] of REFUSED)
    test(`is refused ${name}`, { tags: SHORT.includes(name) ? [] : ['long'] }, async () => {
      await damage(await copy(name))
      expect(await verify(name, KEY)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    })

  test('is refused without the key, and with another one', { tags: ['long'] }, async () => {
    for (const key of ['', OTHER])
      expect(await verify('sealed', key)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not in BACKUP_KEY'),
      })
  })

  test('has no name of a buyer or merchant in any file', async () => {
    const search = async (name: string) => {
      const { gunzipSync } = await import('node:zlib')
      const files = await readdir(at(name))
      const contents = await Promise.all(files.map((file) => readFile(join(at(name), file))))
      return contents.some((bytes) =>
        [bytes, tryTo(() => gunzipSync(bytes))].some((each) => each?.includes(NAME)),
      )
    }
    expect([await search('plain'), await search('sealed')]).toEqual([true, false])
  })

  test('is signed so that another tool can check it', { tags: ['long'] }, async () => {
    const args = [
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      'signed-by.pem',
      '-rawin',
      '-in',
      'manifest.json',
      '-sigfile',
      'manifest.json.sig',
    ]
    expect((await run('openssl', args, { cwd: at('sealed') })).stdout).toContain(
      'Signature Verified Successfully',
    )
  })

  test('beside a key a backup that is not signed is only read if that is said', {
    tags: ['long'],
  }, async () => {
    expect(await verify('plain', KEY)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('add --unsigned'),
    })
  })

  test('and a plain one are verified and restored, after the key was replaced too', {
    tags: ['long'],
  }, async () => {
    for (const [name, ...rest] of [['sealed'], ['plain', '--unsigned']] as const) {
      const target = await createEmptyDatabase(inject('postgresUrl'))
      const args = ['backup', 'verify', '--from', at(name), '--on', target.url, ...rest]
      expect(await operate(given(`${OTHER},${KEY}`), args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('complete'),
      })
      await target.drop()
      const fresh = await createEmptyDatabase(inject('postgresUrl'))
      const settings = { DATABASE_URL: fresh.url, BACKUP_KEY: `${OTHER},${KEY}` }
      expect(await operate(settings, ['backup', 'restore', '--from', at(name), ...rest])).toMatchObject({
        code: 0,
      })
      const { stdout } = await operate(settings, ['merchant', 'list'])
      expect(stdout).toContain(NAME)
      await fresh.drop()
    }
  })
})

function tryTo<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
