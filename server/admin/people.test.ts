/** Operators with names, keys and roles, and the second person. The database has a live world, so keys count. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readAuditChain } from '../storage/audit/log.ts'
import { createTestDatabase } from '../testing/database.ts'
import { operate, operateHere, operateJson } from '../testing/operator.ts'
import { openLive } from '../testing/scene/live.ts'
import { readOperatorKey } from './operator-key.ts'

const kassa = await openLive()
let folder: string
const keys: Record<string, string> = {}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-people-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command with the key of this person; null: without a key. */
const runCommand = (person: string | null, ...args: string[]) =>
  operateJson({}, args, (_settings, words) =>
    operateHere(async () => kassa.worlds, words, person === null ? {} : { key: keys[person] ?? person }),
  )
async function add(by: string | null, name: string, role: string): Promise<void> {
  const { code, answer } = await runCommand(by, 'user', 'add', '--name', name, '--role', role)
  expect([code, answer.user.name]).toEqual([0, name])
  expect(answer.key).toMatch(/^kop_[\w-]{43}$/)
  keys[name] = answer.key
}

test('without an operator no key is needed, and the first one must be administrator', async () => {
  const refused = await runCommand(null, 'user', 'add', '--name', 'Davit', '--role', 'viewer')
  expect(refused.answer.error.message).toContain('Somebody must be administrator')
  expect((await runCommand(null, 'merchant', 'create', '--name', 'Shop')).code).toBe(0)
  await add(null, 'Ani', 'administrator')
})

test('from then on a key is needed, and a wrong one is refused', async () => {
  for (const args of [
    ['merchant', 'list'],
    ['merchant', 'create', '--name', 'B'],
    ['audit', 'verify'],
  ]) {
    expect((await runCommand(null, ...args)).answer.error.message).toContain('no key was given')
    expect((await runCommand(`kop_${'x'.repeat(43)}`, ...args)).answer.error.message).toContain(
      'not valid here',
    )
  }
  expect((await runCommand('Ani', 'merchant', 'list')).code).toBe(0)
})

describe('a role', () => {
  test('of a viewer reads and changes nothing, and the refusal names the role that may', async () => {
    await add('Ani', 'Vera', 'viewer')
    expect((await runCommand('Vera', 'merchant', 'list')).code).toBe(0)
    expect((await runCommand('Vera', 'audit', 'list')).code).toBe(0)
    const { code, answer } = await runCommand('Vera', 'merchant', 'create', '--name', 'B')
    expect([code, answer.error]).toMatchObject([
      1,
      {
        message: 'Vera is a viewer, and merchant create needs the role operator.',
        hint: expect.stringMatching(/Ask an operator/),
      },
    ])
  })

  test('of an operator does not reach the deployment', async () => {
    await add('Ani', 'Davit', 'operator')
    expect((await runCommand('Davit', 'merchant', 'create', '--name', 'B')).code).toBe(0)
    for (const args of [
      ['user', 'add', '--name', 'X', '--role', 'administrator'],
      ['secrets', 'rotate'],
    ])
      expect((await runCommand('Davit', ...args)).answer.error.message).toContain(
        'needs the role administrator',
      )
  })

  test('changes with the next command, and the last administrator keeps it', async () => {
    expect((await runCommand('Ani', 'user', 'set', '--user', 'Vera', '--role', 'operator')).code).toBe(0)
    expect((await runCommand('Vera', 'merchant', 'create', '--name', 'C')).code).toBe(0)
    for (const args of [
      ['user', 'set', '--user', 'Ani', '--role', 'viewer'],
      ['user', 'remove', '--user', 'Ani'],
    ])
      expect((await runCommand('Ani', ...args)).answer.error.message).toContain(
        'Somebody must be administrator',
      )
  })
})

test('a key ends with its replacement and with its owner, and the host can replace a lost one', async () => {
  const old = keys.Vera ?? ''
  const { answer } = await runCommand('Ani', 'user', 'set', '--user', 'vera', '--new-key')
  keys.Vera = answer.key
  expect((await runCommand(old, 'merchant', 'list')).code).toBe(1)
  expect((await runCommand('Vera', 'merchant', 'list')).code).toBe(0)
  const again = await runCommand('Ani', 'user', 'add', '--name', 'VERA', '--role', 'viewer')
  expect(again.answer.error.message).toContain('already')
  expect((await runCommand('Ani', 'user', 'remove', '--user', 'Vera')).code).toBe(0)
  expect((await runCommand('Vera', 'merchant', 'list')).code).toBe(1)
  const recovered = await runCommand(null, 'user', 'recover', '--user', 'Ani')
  expect((await runCommand('Ani', 'merchant', 'list')).code).toBe(1)
  keys.Ani = recovered.answer.key
  expect((await runCommand('Ani', 'merchant', 'list')).code).toBe(0)
})

test('the log names each person, and no key', async () => {
  const rows = await readAuditChain(kassa.ctx.db, 0, 1_000)
  const of = (what: string) =>
    rows
      .filter((row) => row.what === what && !row.about.startsWith('refused'))
      .map(({ who, operatorId }) => [who, operatorId !== null])
  expect(of('user add')).toEqual([
    ['tester', false],
    ['Ani', true],
    ['Ani', true],
  ])
  expect(of('user recover')).toEqual([['tester', false]])
  expect([...new Set(of('merchant create').map(([who]) => who))]).toEqual(['tester', 'Davit', 'Vera'])
  for (const key of Object.values(keys)) expect(JSON.stringify(rows)).not.toContain(key.slice(4))
  // A wrong key three times, then roles that are not enough, and at last the keys that had ended. No key at all leaves no row.
  const refused = rows.filter(({ about }) => about.startsWith('refused'))
  expect(refused.map(({ who, what }) => `${who}: ${what}`)).toEqual([
    'tester: merchant list',
    'tester: merchant create',
    'tester: audit verify',
    'Vera: merchant create',
    'Davit: user add',
    'Davit: secrets rotate',
    'tester: merchant list',
    'tester: merchant list',
    'tester: merchant list',
  ])
})

test('a key comes from a file that nobody else can read', async () => {
  const file = join(folder, 'key')
  await writeFile(file, `${keys.Ani}\n`, { mode: 0o600 })
  expect(await readOperatorKey({ key: undefined, file })).toBe(keys.Ani)
  await chmod(file, 0o640)
  await expect(readOperatorKey({ key: undefined, file })).rejects.toThrow(/chmod 600/)
  await expect(readOperatorKey({ key: undefined, file: join(folder, 'none') })).rejects.toThrow(/can be read/)
  expect(await readOperatorKey({ key: 'kop_1', file })).toBe('kop_1')
})

test('in a deployment with the sandbox alone no key is needed', async () => {
  const own = await createTestDatabase(inject('postgresUrl'))
  const run = (...args: string[]) => operate({ DATABASE_URL: own.url }, args)
  expect((await run('user', 'add', '--name', 'Ani', '--role', 'administrator')).code).toBe(0)
  expect((await run('merchant', 'create', '--name', 'Shop')).code).toBe(0)
  await own.drop()
})
