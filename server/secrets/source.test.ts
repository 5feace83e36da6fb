/** The outermost keys: several of them, and where they come from, a setting, a file or a command. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createTestDatabase } from '../testing/database.ts'
import { operate } from '../testing/operator.ts'
import { serveHere } from '../testing/serve-here.ts'
import { readGivenKeys } from './source.ts'
import { createVault, keyIdOf } from './vault.ts'

const newKey = () => randomBytes(32).toString('base64')

let folder: string
let OLD: string
let NEW: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-source-'))
  ;[OLD, NEW] = [newKey(), newKey()]
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string) => join(folder, name)
async function write(name: string, text: string, mode: number): Promise<string> {
  await writeFile(at(name), text)
  await chmod(at(name), mode)
  return at(name)
}
const program = (body: string) => write('command', `#!/bin/sh\necho run >>${at('runs')}\n${body}\n`, 0o700)
const runs = async () => (await readFile(at('runs'), 'utf8')).trim().split('\n').length
const keysOf = (settings: Record<string, string>) => readGivenKeys(readConfig(settings))
const LIVE = { MODE: 'live', BASE_URL: 'https://pay.example', TRUST_PROXY: '1', DEFAULT_PROVIDER: 'manual' }

describe('several keys', () => {
  test('all open what they sealed, and the first one seals new secrets', () => {
    const [oldest, older, newest] = [newKey(), newKey(), newKey()]
    const place = ['sandbox', 'mer_1', 'sec_1'] as const
    const seal = (key: string) => createVault([key]).seal(`by ${key}`, place)
    const [first, second, last] = [seal(oldest), seal(older), seal(newest)]
    const vault = createVault([newest, older, oldest])
    expect([first, second, last].map((each) => vault.open(each, place))).toEqual([
      `by ${oldest}`,
      `by ${older}`,
      `by ${newest}`,
    ])
    expect(vault.seal('x', place).keyId).toBe(keyIdOf(newest))
    expect(() => createVault([newest, older]).open(first, place)).toThrow(keyIdOf(oldest))
    expect(() => vault.open(last, ['live', 'mer_1', 'sec_1'])).toThrow()
  })

  test.each(['short', `${newKey()},short`, `${newKey()},`, `${newKey()} ${newKey()}`])(
    'with a wrong one among them are rejected, and the message repeats none',
    (keys) => {
      const read = () => readConfig({ SECRETS_KEY: keys })
      expect(read).toThrow(
        /SECRETS_KEY: must be base64 of 32 bytes .* or several such keys separated by commas/,
      )
      expect(read).not.toThrow(keys.slice(0, 20))
    },
  )
})

describe('a file with the keys', () => {
  test('has one on each line, and is enough for the live mode', async () => {
    const SECRETS_KEY_FILE = await write('keys', `${NEW}\n${OLD}\n`, 0o640)
    expect(await keysOf({ ...LIVE, SECRETS_KEY_FILE })).toEqual([NEW, OLD])
    expect(() => readConfig(LIVE)).toThrow('SECRETS_KEY: live mode needs')
  })

  test.each([0o644, 0o604, 0o660, 0o602])(
    'that others may read or change is refused: mode %o',
    async (mode) => {
      const SECRETS_KEY_FILE = await write('keys', NEW, mode)
      await expect(keysOf({ SECRETS_KEY_FILE })).rejects.toThrow(`Run: chmod 640 ${SECRETS_KEY_FILE}`)
    },
  )

  test('that is missing, a directory or no key is named, and its content is not repeated', async () => {
    await expect(keysOf({ SECRETS_KEY_FILE: at('none') })).rejects.toThrow(/none cannot be read \(ENOENT\)/)
    await expect(keysOf({ SECRETS_KEY_FILE: folder })).rejects.toThrow('is not a file with keys')
    const SECRETS_KEY_FILE = await write('keys', 'half-a-key', 0o600)
    const failed = keysOf({ SECRETS_KEY_FILE })
    await expect(failed).rejects.toThrow(
      'SECRETS_KEY_FILE: the file gives no key. Its content must be base64',
    )
    await expect(failed).rejects.not.toThrow('half-a-key')
  })
})

describe('a command that prints the keys', () => {
  test('gets its arguments without a shell, and nothing to read', async () => {
    const path = await program(`cat; [ "$1 $2" = "--slot *" ] && echo ${NEW}`)
    expect(await keysOf({ SECRETS_KEY_COMMAND: `${path} --slot *` })).toEqual([NEW])
  })

  test.each([
    ['fails', 'echo SECRET; echo SECRET >&2; exit 3', 'failed (exit code 3)'],
    ['prints no key', 'echo SECRET', 'gives no key'],
    ['never stops to print', 'while :; do echo SECRET; done', 'printed more than 8192 bytes'],
    ['is killed', 'kill -TERM $$', 'failed (SIGTERM)'],
  ])('which %s is named, and what it prints is not repeated', async (_, body, message) => {
    const failed = await keysOf({ SECRETS_KEY_COMMAND: await program(body) }).catch((error) => error)
    expect(failed.message).toContain('SECRETS_KEY_COMMAND: ')
    expect(failed.message).toContain(message)
    expect(`${failed.message}${failed.stack}${failed.cause}`).not.toContain('SECRET\n')
  })

  test.each(['key-tool', '/bin/sh -c "echo $KEY"', '/bin/a | /bin/b'])(
    'is refused if it is written for a shell: %s',
    (given) => {
      expect(() => readConfig({ SECRETS_KEY_COMMAND: given })).toThrow(
        'SECRETS_KEY_COMMAND: must be the full path',
      )
    },
  )

  test('cannot be set together with another source', () => {
    expect(() => readConfig({ SECRETS_KEY: NEW, SECRETS_KEY_COMMAND: '/bin/key' })).toThrow(
      'SECRETS_KEY_COMMAND: cannot be set together with SECRETS_KEY',
    )
    expect(() => readConfig({ SECRETS_KEY_FILE: '/a', SECRETS_KEY_COMMAND: '/bin/key' })).toThrow(
      'SECRETS_KEY_COMMAND: cannot be set together with SECRETS_KEY_FILE',
    )
  })

  test('runs once at the start and once for a rotation, and never appears in the log', async () => {
    const database = await createTestDatabase(inject('postgresUrl'))
    const settings = {
      SECRETS_KEY: '',
      MODE: 'sandbox',
      LOG_LEVEL: 'debug',
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      SECRETS_KEY_COMMAND: await program(`echo ${OLD}`),
    }
    const served = await serveHere(settings)
    await operate(settings, ['merchant', 'create', '--name', 'Shop'])
    await served.stop()
    expect(await runs()).toBe(2)
    await program(`echo ${NEW}; echo ${OLD}`)
    const again = await serveHere(settings)
    const { code, stdout } = await operate(settings, ['secrets', 'rotate'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(keyIdOf(NEW))])
    expect(await runs()).toBe(4)
    for (const key of [OLD, NEW]) expect(served.output() + again.output()).not.toContain(key)
    await again.stop()
    await database.drop()
  })
})
