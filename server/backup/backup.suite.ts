/** Backups and restores while the service accepts payments, and the state after a command was killed. */
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../storage/db.ts'
import { createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { startProgram } from '../testing/processes/child-process.ts'
import { programOf } from '../testing/processes/programs.ts'
import { killAfter, momentsOf, openBackupScene, PAYMENTS, timeCommand } from '../testing/scene/backup.ts'
import { serveHere } from '../testing/serve-here.ts'
import { readManifest } from './manifest.ts'

const ENTRY = fileURLToPath(new URL('../admin.ts', import.meta.url))
const NOBODY = 65_534

/** Counts the rows that a restore has left in the database. A killed one may have made some of the tables, or none. */
async function countRows(db: Db): Promise<{ merchants: number; payments: number }> {
  const nothing = { merchants: 0, payments: 0 }
  const { rows: tables } = await db.query(
    `select from pg_tables where tablename in ('merchants', 'payments')`,
  )
  if (tables.length < 2) return nothing
  const { rows } = await db.query<typeof nothing>(
    `select (select count(*)::int from kassa.merchants) as merchants,
       (select count(*)::int from sandbox.payments) as payments`,
  )
  return rows[0] ?? nothing
}

/** `kills`: how often each command is killed while it runs. Without kills only what is refused and restored is tried. */
export function testBackups(kills: number, scene = openBackupScene()): void {
  /** A backup of the deployment. The tests that need any backup share it. */
  let whole: string
  beforeAll(async () => {
    whole = join(scene.folder, 'whole')
    const made = await operate(scene.source(), ['backup', 'create', '--to', whole])
    if (made.code !== 0) throw new Error(made.stderr)
  })

  describe('a backup that is made while the service accepts payments', () => {
    test('is restored row for row, a service on it finds every payment that was paid before', async () => {
      const directory = join(scene.folder, 'under-load')
      let isOver = false
      const before = await scene.nextNumber(scene.kassa.ctx.db)
      const load = (async () => {
        for (let count = 0; !isOver; count++) await scene.sell(`load-${count}`)
      })()
      const made = await operateJson(scene.source(), ['backup', 'create', '--to', directory]).finally(() => {
        isOver = true
      })
      await load
      expect(made).toMatchObject({ code: 0, answer: { ok: true, worlds: ['sandbox'] } })
      expect(made.answer.payments).toBeGreaterThanOrEqual(PAYMENTS)

      const target = await scene.emptyDatabase()
      const settings = { DATABASE_URL: target.url }
      const restored = await operateJson(settings, ['backup', 'restore', '--from', directory])
      expect(restored).toMatchObject({ code: 0, answer: { ok: true, faults: [], rows: made.answer.rows } })
      expect(restored.answer.sums).toEqual(made.answer.sums)
      // The service skips the numbers of lost orders when it next needs one: see testing/providers/stand-ins/lost-numbers.test.ts.
      expect(await scene.nextNumber(target.db)).toBeGreaterThan(before)
      const { rows } = await target.db.query(
        `select nextval('sandbox.provider_exchanges_id_seq') > max(id) as free from sandbox.provider_exchanges`,
      )
      expect(rows).toEqual([{ free: true }])
      await target.db.end()

      expect(await operate(settings, ['restore', 'confirm', '--all'])).toMatchObject({ code: 0 })
      const other = await serveHere(settings)
      try {
        for (const id of scene.paid) {
          const found = await lookUp(other.url, scene.shop, id)
          expect([found.status, found.body.capturedMinor]).toEqual([200, 1900])
        }
        const next = await createSession(other.url, scene.shop, {
          key: 'after-the-restore',
          body: sessionRequest({ merchantOrderId: 'after' }),
        })
        expect(next.status).toBe(201)
      } finally {
        await other.stop()
      }
    })

    if (kills > 0)
      test('is verified on another database, and the message says whether the keys decrypt its secrets', async () => {
        const one = await scene.emptyDatabase()
        await one.db.end()
        const good = await operate(scene.source(), ['backup', 'verify', '--from', whole, '--on', one.url])
        expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('The backup is complete')])
        expect(good.stdout).toContain('The keys of this command decrypt the secrets in it.')
      })
  })

  describe('an incomplete or damaged backup', () => {
    /** Each rejected restore leaves it empty for the next one. */
    let empty: TestDatabase
    beforeAll(async () => {
      empty = await createEmptyDatabase(inject('postgresUrl'))
    })
    afterAll(() => empty.drop())

    if (kills > 0)
      test(`has a name that ends in .partial if the command was killed (${kills} times)`, async () => {
        const wholeMs = await timeCommand(
          scene.source(),
          argv`backup create --to ${join(scene.folder, 'timing')}`,
        )
        let killed = 0
        for (const [index, ms] of momentsOf(wholeMs, kills).entries()) {
          const directory = join(scene.folder, `killed-${index}`)
          const hadEnded = await killAfter(ms, scene.source(), ['backup', 'create', '--to', directory])
          const names = await readdir(scene.folder)
          if (names.includes(`killed-${index}`)) await readManifest(directory)
          else killed += Number(!hadEnded)
        }
        expect(killed).toBeGreaterThanOrEqual(Math.floor(kills / 2))
        const again = await operate(scene.source(), [
          'backup',
          'create',
          '--to',
          join(scene.folder, 'killed-0-again'),
        ])
        expect(again.code).toBe(0)
      })

    const DAMAGES: Record<string, (lines: string[]) => string[]> = {
      'a row is missing': (lines) => lines.slice(1),
      'a row is there twice': (lines) => [...lines, lines[0] ?? ''],
      'an amount was changed': (lines) => lines.map((line) => line.replace('\t1900\t', '\t1901\t')),
    }
    // Without kills the last one is enough, beside the tests of sealed backups.
    test.each(Object.entries(DAMAGES).slice(kills === 0 ? -1 : 0))(
      'is rejected, and the database stays empty, if %s',
      async (name, damage) => {
        const directory = join(scene.folder, name.replaceAll(' ', '-'))
        await cp(whole, directory, { recursive: true })
        const file = join(directory, 'sandbox.payment_changes.gz')
        const target = name.includes('amount') ? join(directory, 'sandbox.payments.gz') : file
        const lines = gunzipSync(await readFile(target))
          .toString()
          .split('\n')
          .slice(0, -1)
        await writeFile(target, gzipSync(`${damage(lines).join('\n')}\n`))
        const refused = await operate({ DATABASE_URL: empty.url }, ['backup', 'restore', '--from', directory])
        expect(refused.code).toBe(1)
        const db = openDb(empty.url, { world: 'sandbox', max: 1 })
        const { rows } = await db.query('select count(*)::int as count from kassa.merchants')
        expect(rows).toEqual([{ count: 0 }])
        await db.end()
      },
    )

    test('a directory that cannot be created is named in the message, and the database is not', async () => {
      const directory = join(process.execPath, 'backup')
      const refused = await operate(scene.source(), ['backup', 'create', '--to', directory])
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining(`${directory}.partial cannot be created (ENOTDIR)`),
      ])
      expect(refused.stderr).not.toContain('DATABASE_URL')
    })

    if (kills > 0)
      test('a directory that the user may not write to is named with the user and the command that creates it', async () => {
        const series = join(scene.folder, 'closed')
        await mkdir(series, { mode: 0o555 })
        const rights = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
        const program = [programOf(ENTRY), 'backup', 'create', '--in', series]
        const env = { PATH: process.env.PATH, SECRETS_KEY, ...scene.source() }
        const child = startProgram(process.execPath, program, { env, ...rights })
        let output = ''
        child.stderr.on('data', (chunk) => (output += chunk))
        expect(await once(child, 'close')).toEqual([1, null])
        expect(output).toMatch(
          /cannot be created \(EACCES\)\. Choose a directory that the user (\S+) may write to, /,
        )
        expect(output).toMatch(new RegExp(`as root: install -d -o \\S+ -m 0700 ${series}\n$`))
      })

    test('a directory without a manifest is reported as not a backup', async () => {
      const args = ['backup', 'restore', '--from', scene.folder]
      const refused = await operate({ DATABASE_URL: empty.url }, args)
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not a backup')])
    })
  })

  describe('a restore', () => {
    if (kills > 0)
      test(`that is killed ${kills} times leaves the database empty, and the next restore waits until PostgreSQL closes the last connection`, async () => {
        const probe = await scene.emptyDatabase()
        const args = ['backup', 'restore', '--from', whole]
        const wholeMs = await timeCommand({ DATABASE_URL: probe.url }, args)
        await probe.db.end()
        const { sums } = await readManifest(whole)
        const payments = sums.reduce((total, sum) => total + sum.payments, 0)
        const target = await scene.emptyDatabase()
        const settings = { DATABASE_URL: target.url }
        let interrupted = 0
        for (const ms of momentsOf(wholeMs, kills)) {
          await killAfter(ms, settings, args)
          const found = await countRows(target.db)
          if (found.merchants === 0) interrupted++
          // How far the command came depends on the machine's speed. After the command's commit no row may be missing.
          else expect(found).toEqual({ merchants: 1, payments })
          if (found.merchants > 0) await target.db.query('truncate kassa.merchants cascade')
        }
        await target.db.end()
        expect(interrupted).toBeGreaterThanOrEqual(Math.floor(kills / 2))
        // PostgreSQL closes the connection of a killed command a moment later.
        const killed = new pg.Client({ connectionString: target.url, application_name: 'kassa killed' })
        await killed.connect()
        // Real time: the command waits for as long as it takes.
        const leaving = sleep(1_000).then(() => killed.end())
        expect(await operate(settings, args)).toMatchObject({ code: 0 })
        await leaving
      })

    test('never overwrites a database with merchants', async () => {
      const refused = await operate(scene.source(), ['backup', 'restore', '--from', whole])
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already has merchants')])
    })
  })
}
