/** Upgrades every release's database to this version and to an invented next version, and checks which versions may use it then. */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { compareRows, findFaults } from '../../backup/compare.ts'
import type { Manifest } from '../../backup/manifest.ts'
import { readConfig } from '../../config.ts'
import type { World } from '../../contract/health.ts'
import { openService } from '../../service.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { operate } from '../../testing/operator.ts'
import { EXPANSION, makeNextRelease, type NextRelease } from '../../testing/releases/next-release.ts'
import { FROZEN, loadRelease, releasePath } from '../../testing/releases/release-file.ts'
import { VERSION } from '../../version.ts'
import { countOthers } from '../backup/facts.ts'
import { APPLICATION, type Db, openDb } from '../db.ts'
import { migrate } from '../migrate.ts'
import { readMigrations, type Schema, THIS_RELEASE } from './files.ts'
import { planMigrations } from './plan.ts'

const RELEASES = readdirSync(fileURLToPath(new URL('.', releasePath(VERSION))))
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.slice(0, -'.txt'.length))
const WORLDS = ['sandbox', 'live'] as const
const NEXT_NAMES = WORLDS.flatMap((world) =>
  Object.keys(EXPANSION).map((path) => path.replace('world', world)),
)

/** One more currency, as the guide says it. */
const CURRENCY = {
  'world/0900_currency.sql': `-- oldest version: 0.2.0
    alter domain world.currency drop constraint currency_check;
    alter domain world.currency add constraint currency_check check (value in ('AMD', 'USD', 'EUR', 'XTS')) not valid;`,
}

let database: TestDatabase
let db: Db
let next: NextRelease
beforeAll(async () => {
  next = await makeNextRelease('9.0.0', EXPANSION)
})
afterAll(() => next.remove())

/** Opens a database for the tests that follow. */
async function open(created: Promise<TestDatabase>): Promise<void> {
  database = await created
  db = openDb(database.url, { world: 'live' })
}
async function close(): Promise<void> {
  await db.end()
  await database.drop()
}
async function openEmpty(): Promise<void> {
  onTestFinished(close)
  await open(createEmptyDatabase(inject('postgresUrl')))
}
/** Opens a database of this version, without data. It is a copy, because the migrations take far longer. */
async function openCurrent(mode: World = 'sandbox'): Promise<void> {
  onTestFinished(close)
  await open(createTestDatabase(inject('postgresUrl'), mode))
}

const expectData = async (manifest: Manifest) => {
  await compareRows(db, manifest.tables)
  expect(await findFaults(db, manifest)).toEqual([])
}
const expectUsable = async (name: string) =>
  expect(
    (await db.query('select indisvalid as ok from pg_index where indexrelid = to_regclass($1)', [name])).rows,
  ).toEqual([{ ok: true }])

test('a database of this version is stored for later upgrade tests', () => {
  expect(RELEASES).toContain(VERSION)
})

test('no migration of the frozen version was edited: a change is a new migration', async () => {
  const [manifest = ''] = (await readFile(releasePath(FROZEN), 'utf8')).split('\n', 1)
  const { migrations } = JSON.parse(manifest) as Manifest
  const schemas = [...new Set(migrations.map(({ schema }) => schema as Schema))]
  const files = await Promise.all(
    schemas.map(async (schema) =>
      (await readMigrations(schema, THIS_RELEASE)).map(({ name, digest }) => ({ schema, name, digest })),
    ),
  )
  expect(files.flat()).toEqual(expect.arrayContaining(migrations))
})

/** What a release has left that may be in use. `npm test` leaves out that of this version, which nothing is upgraded from. */
const tagsOf = (version: string) => (version === VERSION && version !== FROZEN ? { tags: ['long'] } : {})

for (const version of RELEASES)
  describe(`the database of release ${version}`, tagsOf(version), () => {
    let manifest: Manifest
    // The first two tests only read it.
    beforeAll(async () => {
      await open(createEmptyDatabase(inject('postgresUrl')))
      manifest = await loadRelease(db, version)
    })
    afterAll(close)

    test('keeps every row and every sum of money when it is upgraded to this version', async () => {
      expect(manifest.sums.length).toBeGreaterThan(5)
      await expectData(manifest)
      expect(await planMigrations(db, WORLDS)).toEqual([])
    })

    test('has a plan for an upgrade that names each migration and says what it does, and changes nothing', async () => {
      const planned = await planMigrations(db, WORLDS, next)
      expect(planned.map(({ schema, name }) => `${schema}/${name}`).sort()).toEqual(NEXT_NAMES.sort())
      const [gifts, index] = planned
      expect(gifts?.about).toMatch(/^[A-Z].+\.$/s)
      expect(index).toMatchObject({ isConcurrent: true })
      await expectData(manifest)
      expect((await db.query(`select to_regclass('sandbox.gifts') as table`)).rows).toEqual([{ table: null }])
    })

    test('is upgraded to an invented next release, and this version still works on it', async () => {
      const applied = await migrate(db, WORLDS, { release: next })
      expect(applied.map(({ migration }) => migration).sort()).toEqual(NEXT_NAMES.sort())
      await expectData(manifest)
      const { rows } = await db.query(
        'select count(*)::int as count from sandbox.payments where not wrapped and gift_note is null',
      )
      expect(rows).toEqual(
        (
          await db.query(
            `select count(*)::int as count from sandbox.gifts where note like 'made before gifts; %'`,
          )
        ).rows,
      )
      for (const world of WORLDS) await expectUsable(`${world}.payments_wrapped`)
      expect(await migrate(db, WORLDS, { release: next })).toEqual([])

      const service = await openService(
        readConfig({ MODE: 'sandbox', SECRETS_KEY, LOG_LEVEL: 'silent', DATABASE_URL: database.url }),
      )
      await service.close()
    })
  })

describe('the plan of an upgrade', () => {
  test('is printed by the command, which leaves an empty database empty', { tags: ['long'] }, async () => {
    await openEmpty()
    const settings = { DATABASE_URL: database.url }
    const planned = await operate(settings, ['database', 'migrate', '--plan'])
    expect(planned.code).toBe(0)
    expect(planned.stdout).toContain(
      'sandbox/0002_operations.sql: The guarded operations: what a merchant, an operator or the service itself asked',
    )
    expect((await db.query(`select to_regnamespace('kassa') as schema`)).rows).toEqual([{ schema: null }])
    expect((await operate(settings, ['database', 'migrate'])).stdout).toContain('sandbox/0001_payments.sql')
    expect((await operate(settings, ['database', 'migrate', '--plan'])).stdout).toContain(
      'Nothing needs to be done',
    )
  })
})

describe('a currency that is added to the domain', () => {
  test('needs no lock of a table, and is accepted at once by connections that are open', async () => {
    await openCurrent()
    const accept = (code: string) => db.query('select $1::sandbox.currency', [code])
    await expect(accept('XTS')).rejects.toMatchObject({ code: '23514' })
    const release = await makeNextRelease('9.0.0', CURRENCY)
    const holder = await db.connect()
    await holder.query('begin; lock table sandbox.payments, sandbox.products')
    const applied = await migrate(db, ['sandbox'], { release })
    await holder.query('rollback')
    holder.release()
    await release.remove()
    expect(applied).toEqual([expect.objectContaining({ tries: 1 })])
    await accept('XTS')
    await expect(accept('XXX')).rejects.toMatchObject({ code: '23514' })
  })
})

describe('a version that is older than a migration allows', () => {
  test('is rejected with a message that names both versions, and a new enough version is accepted', async () => {
    await openCurrent()
    const breaking = await makeNextRelease('9.0.0', {
      'world/0900_contraction.sql':
        '-- oldest version: 9.0.0\nalter table world.products drop column display;',
    })
    await migrate(db, ['sandbox'], { release: breaking })
    await breaking.remove()
    const refusal = `Kassa 9.0.0 has upgraded this database (sandbox/0900_contraction.sql), and this is Kassa ${VERSION}. Start Kassa 9.0.0 or newer`
    const { code, stderr } = await operate({ DATABASE_URL: database.url }, ['merchant', 'list'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)])
    await expect(planMigrations(db, ['sandbox'])).rejects.toThrow(refusal)
    expect(await migrate(db, ['sandbox'], { release: { ...next, version: '9.0.0' } })).not.toEqual([])
  })
})

describe('a migration whose tables are in use', () => {
  test('gives up its lock, lets requests pass, and is applied when the tables are free', async () => {
    await openCurrent()
    const holder = await db.connect()
    await holder.query('begin; select from sandbox.payments')
    const lines: string[] = []
    const upgrade = migrate(db, ['sandbox'], { release: next, onProgress: (line) => lines.push(line) })
    // A reader that queues behind the migration waits for the migration's own limit. Without a limit it would wait for ever.
    while (!lines.some((line) => line.includes('waits for'))) await db.query('select from sandbox.payments')
    await holder.query('rollback')
    holder.release()
    const applied = await upgrade
    expect(applied[0]?.tries).toBeGreaterThan(1)
    expect(lines).toEqual([
      'The database gets 3 migrations of Kassa 9.0.0.',
      expect.stringContaining('sandbox/0900_gifts.sql waits for a transaction that uses its tables'),
    ])
  })
})

describe('an upgrade without time limits', () => {
  test('sets no limits for locks and statements, and every other upgrade sets them', async () => {
    await openCurrent('live')
    const release = await makeNextRelease('9.0.0', {
      'world/0900_limits.sql': `-- oldest version: 0.2.0
        create table world.limits as
          select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement;`,
    })
    await migrate(db, ['sandbox'], { release })
    await migrate(db, ['live'], { release, withoutTimeLimits: true })
    await release.remove()
    const { rows } = await db.query('select * from sandbox.limits union all select * from live.limits')
    expect(rows).toEqual([
      { lock: '1s', statement: '10s' },
      { lock: '0', statement: '0' },
    ])
  })

  test('is rejected while another process uses the database, because its requests would wait', {
    tags: ['long'],
  }, async () => {
    await openEmpty()
    const other = new pg.Client({ connectionString: database.url, application_name: 'kassa elsewhere' })
    await other.connect()
    const command = ['database', 'migrate', '--without-time-limits']
    const refused = await operate({ DATABASE_URL: database.url }, command)
    await other.end()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(1 connection)')])
    expect((await db.query(`select to_regnamespace('kassa') as schema`)).rows).toEqual([{ schema: null }])
    await vi.waitUntil(async () => (await countOthers(db, APPLICATION)) === 0, { timeout: 60_000 })
    expect(await operate({ DATABASE_URL: database.url }, command)).toMatchObject({ code: 0 })
  })
})

describe('an index that is built concurrently', () => {
  const unique = {
    'world/0900_unique.sql':
      '-- oldest version: 0.2.0\ncreate unique index concurrently if not exists products_name on world.products (name);',
  }

  test('is built again by the next start if PostgreSQL left it unusable', async () => {
    await openCurrent()
    await db.query(`insert into kassa.merchants (id, name, created_at) values ('m', 'M', now());
      insert into sandbox.products (merchant_id, id, name, amount_minor, currency, updated_at)
        select 'm', 'p' || n, 'Tea', 1, 'USD', now() from generate_series(1, 2) n`)
    const release = await makeNextRelease('9.0.0', unique)
    await expect(migrate(db, ['sandbox'], { release })).rejects.toThrow('could not create unique index')
    await db.query(`update sandbox.products set name = id`)
    expect(await migrate(db, ['sandbox'], { release })).toHaveLength(1)
    await expectUsable('sandbox.products_name')
    await release.remove()
  })

  test('does not wait for other processes that start meanwhile', { tags: ['long'] }, async () => {
    await openCurrent()
    const starts = Array.from({ length: 4 }, () => migrate(db, ['sandbox'], { release: next }))
    expect((await Promise.all(starts)).flat()).toHaveLength(Object.keys(EXPANSION).length)
    await expectUsable('sandbox.payments_wrapped')
  })
})
