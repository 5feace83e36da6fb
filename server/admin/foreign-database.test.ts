/**
 * An operator's command run with the settings of another program, of an older Kassa, or of a place where nothing is yet: it
 * creates, upgrades and drops nothing.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createMerchant } from '../operator/create-merchant.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type Kassa, SECRETS_KEY, startKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { serveHere } from '../testing/serve-here.ts'

/** Another program has a schema with a name that Kassa uses too. */
const OTHERS = `create table public.users (id int primary key, name text); insert into public.users values (1, 'Ani');
  create schema live; create table live.streams (id int primary key); insert into live.streams values (7)`
/** `npm test` has one command of each kind: what reads, acts, copies, works on both worlds, and on the database alone. */
const NAMING = [
  ['payment', 'show', '--payment', 'pay_01'],
  ['restore', 'confirm'],
  ['backup', 'create', '--to', join(tmpdir(), 'never')],
  ['secrets', 'rotate'],
  ['database', 'reopen'],
  ['merchant', 'create', '--name', 'Shop', '--dry-run'],
]
const MORE_NAMING = [
  ['merchant', 'list'],
  ['token', 'list', '--merchant', 'mer_01'],
  ['user', 'list'],
  ['audit', 'verify'],
]

let folder: string
let kassa: Kassa
let foreign: TestDatabase
let empty: TestDatabase
let backup: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-foreign-'))
  foreign = await createEmptyDatabase(inject('postgresUrl'))
  empty = await createEmptyDatabase(inject('postgresUrl'))
  await sql(foreign.url, OTHERS)
  kassa = await startKassa()
  await createMerchant(kassa.ctx, { name: 'Shop' })
  backup = join(folder, 'backup')
  const made = await operate(settingsOf(kassa.databaseUrl), ['backup', 'create', '--to', backup])
  expect(made.code).toBe(0)
})
afterAll(async () => {
  await kassa.close()
  await foreign.drop()
  await empty.drop()
  await rm(folder, { recursive: true, force: true })
})

const settingsOf = (url: string) => ({ DATABASE_URL: url, DATA_DIR: join(folder, 'data'), SECRETS_KEY })

async function sql(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

/** Everything in the database that PostgreSQL did not bring. */
const contentOf = (url: string) =>
  sql(
    url,
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname !~ '^(pg_|information_schema)' union all select nspname from pg_namespace where nspname !~ '^pg_' order by 1`,
  )

describe('in the database of another program', () => {
  const expectUntouched = async (...args: string[]) => {
    const before = await contentOf(foreign.url)
    const { code, stdout, stderr } = await operate(settingsOf(foreign.url), args)
    expect(await contentOf(foreign.url)).toEqual(before)
    if (args[0] !== 'service') expect([code, stdout]).toEqual([1, ''])
    if (args[0] !== 'service')
      expect(stderr).toMatch(
        /belongs to another program: it has live\.streams, public\.users, and nothing of Kassa/,
      )
  }
  const TITLE = '%s %s creates nothing, and says whose it is'
  test.each([...NAMING, ['merchant', 'create', '--name', 'Shop'], ['database', 'migrate']])(
    TITLE,
    expectUntouched,
  )
  test.each([...MORE_NAMING, ['database', 'migrate', '--plan'], ['service', 'doctor']])(
    TITLE,
    { tags: ['long'] },
    expectUntouched,
  )

  test('a start is refused, and so is all that would bring rows there', async () => {
    const before = await contentOf(foreign.url)
    await expect(serveHere(settingsOf(foreign.url))).rejects.toThrow('belongs to another program')
    const theirs = 'belongs to another program'
    for (const [url, ...args] of [
      [foreign.url, 'backup', 'restore', '--from', backup],
      [kassa.databaseUrl, 'backup', 'verify', '--from', backup, '--on', foreign.url],
    ] as const)
      expect(await operate(settingsOf(url), [...args])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(theirs),
      })
    const stopped = await createTestDatabase(inject('postgresUrl'))
    await operate(settingsOf(stopped.url), ['merchant', 'create', '--name', 'Shop'])
    const move = ['database', 'move', '--to', foreign.url]
    expect(await operate(settingsOf(stopped.url), move)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(theirs),
    })
    // The old database is open again.
    await (await serveHere(settingsOf(stopped.url))).stop()
    await stopped.drop()
    expect(await contentOf(foreign.url)).toEqual(before)
    expect(await sql(foreign.url, 'select id from live.streams')).toEqual([{ id: 7 }])
  })
})

describe('in the database of an older Kassa', () => {
  let older: TestDatabase
  beforeAll(async () => {
    older = await createTestDatabase(inject('postgresUrl'))
    // As if this version had one migration more than the version that has made the database.
    await sql(
      older.url,
      `delete from kassa.migrations where (schema, name) in (select 'sandbox', max(name) from kassa.migrations where schema = 'sandbox')`,
    )
  })
  afterAll(() => older.drop())
  const ledgerOf = (url: string) => sql(url, 'select * from kassa.migrations order by schema, name')

  test.each([
    ['payment', 'show', '--payment', 'pay_01'],
    ['merchant', 'create', '--name', 'Shop'],
    ['backup', 'create', '--to', join(tmpdir(), 'never')],
  ])('%s %s changes nothing, and names the upgrade', async (...args) => {
    const before = [await ledgerOf(older.url), await contentOf(older.url)]
    const { code, stdout, stderr } = await operate(settingsOf(older.url), args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('it lacks 1 migration of Kassa')
    expect(stderr).toContain('database migrate --plan')
    expect([await ledgerOf(older.url), await contentOf(older.url)]).toEqual(before)
  })

  test('the plan of the upgrade can be seen', async () => {
    const { code, stdout } = await operate(settingsOf(older.url), ['database', 'migrate', '--plan'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 migration would be applied')])
  })

  test('a command with MODE=live adds no live world to a sandbox', async () => {
    const before = await contentOf(kassa.databaseUrl)
    const settings = {
      ...settingsOf(kassa.databaseUrl),
      MODE: 'live',
      BASE_URL: 'https://pay.example',
      TRUST_PROXY: '1',
    }
    const { code, stderr } = await operate(settings, ['merchant', 'list'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('has no live world yet, and this command adds none'),
    ])
    expect(await contentOf(kassa.databaseUrl)).toEqual(before)
  })
})

describe('where nothing is yet', () => {
  const expectNothing = async (...args: string[]) => {
    const before = await contentOf(empty.url)
    const { code } = await operate(settingsOf(empty.url), args)
    if (args[0] !== 'database') expect(code).toBe(1)
    expect(await contentOf(empty.url)).toEqual(before)
    const nowhere = join(folder, 'nowhere')
    expect(await operate({ DATA_DIR: nowhere, SECRETS_KEY }, args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no database in'),
    })
    expect(await readdir(folder)).not.toContain('nowhere')
  }
  const TITLE = '%s %s names something existing, so it creates nothing'
  test.each(NAMING)(TITLE, expectNothing)
  test.each(MORE_NAMING)(TITLE, { tags: ['long'] }, expectNothing)

  test('a merchant is created in an empty database that is named, and never in an empty folder', {
    tags: ['long'],
  }, async () => {
    const create = ['merchant', 'create', '--name', 'Shop']
    const { code, stderr } = await operate({ DATA_DIR: join(folder, 'nowhere'), SECRETS_KEY }, create)
    expect(code).toBe(1)
    expect(stderr).toMatch(/nowhere \(DATA_DIR names it\), and this command creates none/)
    expect(await readdir(folder)).not.toContain('nowhere')
    const named = await createEmptyDatabase(inject('postgresUrl'))
    expect(await operate(settingsOf(named.url), create)).toMatchObject({ code: 0 })
    await named.drop()
  })
})
