/** Backups, restores and moves of a deployment that takes payments meanwhile, and what is left of them after a kill. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { endProcess, startProcess } from '../testing/child-process.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, spawnKassa, startKassa } from '../testing/harness.ts'
import { operate, operateProcess as operateAlone, operateJson } from '../testing/operator.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { readManifest } from './manifest.ts'

const ADMIN = new URL('../admin.ts', import.meta.url).pathname
const PAYMENTS = 12
const SLOW = 60_000

/** `kills`: how often each command is killed in its middle. */
export function testBackups(kills: number): void {
  let kassa: Kassa
  let shop: Shop
  let receiver: Receiver
  let folder: string
  let paid: string[]
  const databases: TestDatabase[] = []
  beforeAll(async () => {
    kassa = await startKassa({ worker: true })
    receiver = await startReceiver(() => 200)
    shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    folder = await mkdtemp(join(tmpdir(), 'kassa-backup-'))
    paid = []
    for (let count = 0; count < PAYMENTS; count++) paid.push(await sell(`first-${count}`))
  }, SLOW)
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop()
  })
  afterAll(async () => {
    await kassa.close()
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
  })

  const source = () => ({ DATABASE_URL: kassa.databaseUrl })

  /** An order that is paid, and half of it refunded. */
  async function sell(order: string): Promise<string> {
    const { body } = await createSession(kassa.url, shop, {
      key: order,
      body: sessionRequest({
        merchantOrderId: order,
        metadata: { note: 'Tea of\tDilijan \\ "green" \n շնորհակալություն' },
      }),
    })
    await payAtBank(body.providerCheckoutUrl, 'paid')
    await askOperation(kassa.url, shop, body.id, 'refunds', {
      key: order,
      body: { amountMinor: 950, reason: 'half' },
    })
    return body.id
  }

  async function emptyDatabase(): Promise<TestDatabase & { db: Db }> {
    const database = await createEmptyDatabase(inject('postgresUrl'))
    databases.push(database)
    return { ...database, db: openDb(database.url, { world: 'sandbox', max: 2 }) }
  }

  /** Starts a command in a process of its own, and kills it after a while. Returns whether it had ended before. */
  async function killAfter(ms: number, settings: Record<string, string>, args: string[]): Promise<boolean> {
    const child = startProcess(ADMIN, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settings } })
    child.stdout.resume()
    child.stderr.resume()
    await sleep(ms)
    const hadEnded = child.exitCode !== null
    await endProcess(child, 'SIGKILL')
    return hadEnded
  }

  /** The whole command in a process of its own. @throws Error unless it works */
  async function operateProcess(args: string[], settings: Record<string, string> = source()): Promise<void> {
    const { code, stderr } = await operateAlone(settings, args)
    if (code !== 0) throw new Error(stderr)
  }

  /** Moments of a command that takes this long, from its beginning to its end. */
  const momentsOf = (wholeMs: number) =>
    Array.from({ length: kills }, (_, index) => ((index + 0.5) / kills) * wholeMs)

  async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
    const started = performance.now()
    return [await work(), performance.now() - started]
  }

  describe('a backup that is made while payments are taken', () => {
    test(
      'comes back row for row, and a service on it knows every payment that was paid before',
      async () => {
        const directory = join(folder, 'under-load')
        let isOver = false
        const load = (async () => {
          for (let count = 0; !isOver; count++) await sell(`load-${count}`)
        })()
        const made = await operateJson(source(), ['backup', 'create', '--to', directory]).finally(() => {
          isOver = true
        })
        await load
        expect(made).toMatchObject({ code: 0, answer: { ok: true, worlds: ['sandbox'] } })
        expect(made.answer.payments).toBeGreaterThanOrEqual(PAYMENTS)

        const target = await emptyDatabase()
        const settings = { DATABASE_URL: target.url }
        const restored = await operateJson(settings, ['backup', 'restore', '--from', directory])
        expect(restored).toMatchObject({ code: 0, answer: { ok: true, faults: [], rows: made.answer.rows } })
        expect(restored.answer.sums).toEqual(made.answer.sums)
        await target.db.end()

        const other = await spawnKassa(settings)
        try {
          for (const id of paid) {
            const found = await lookUp(other.url, shop, id)
            expect([found.status, found.body.capturedMinor]).toEqual([200, 1900])
          }
          const next = await createSession(other.url, shop, {
            key: 'after-the-restore',
            body: sessionRequest({ merchantOrderId: 'after' }),
          })
          expect(next.status).toBe(201)
        } finally {
          await other.kill('SIGTERM')
        }
      },
      2 * SLOW,
    )

    test(
      'is verified on a database of its own, and the message says whether the keys open it',
      async () => {
        const directory = join(folder, 'verified')
        await operate(source(), ['backup', 'create', '--to', directory])
        const one = await emptyDatabase()
        await one.db.end()
        const good = await operate(source(), ['backup', 'verify', '--from', directory, '--on', one.url])
        expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('The backup is whole')])
        expect(good.stdout).toContain('The keys of this command open the secrets in it.')
      },
      SLOW,
    )
  })

  describe('a backup that is not whole', () => {
    test(
      `is never taken for one: ${kills} kills of the command leave only a .partial directory`,
      async () => {
        const [, wholeMs] = await timed(() =>
          operateProcess(['backup', 'create', '--to', join(folder, 'timing')]),
        )
        let killed = 0
        for (const [index, ms] of momentsOf(wholeMs).entries()) {
          const directory = join(folder, `killed-${index}`)
          const hadEnded = await killAfter(ms, source(), ['backup', 'create', '--to', directory])
          const names = await readdir(folder)
          if (names.includes(`killed-${index}`)) await readManifest(directory)
          else killed += Number(!hadEnded)
        }
        expect(killed).toBeGreaterThanOrEqual(Math.floor(kills / 2))
        const again = await operate(source(), ['backup', 'create', '--to', join(folder, 'killed-0-again')])
        expect(again.code).toBe(0)
      },
      SLOW,
    )

    const DAMAGES: Record<string, (lines: string[]) => string[]> = {
      'a row is missing': (lines) => lines.slice(1),
      'an amount was changed': (lines) => lines.map((line) => line.replace('\t1900\t', '\t1901\t')),
      'a row stands twice': (lines) => [...lines, lines[0] ?? ''],
    }
    test.each(Object.entries(DAMAGES))(
      'is refused, and the database stays empty, where %s',
      async (name, damage) => {
        const directory = join(folder, name.replaceAll(' ', '-'))
        await operate(source(), ['backup', 'create', '--to', directory])
        const file = join(directory, 'sandbox.payment_changes.gz')
        const target = name.includes('amount') ? join(directory, 'sandbox.payments.gz') : file
        const lines = gunzipSync(await readFile(target))
          .toString()
          .split('\n')
          .slice(0, -1)
        await writeFile(target, gzipSync(`${damage(lines).join('\n')}\n`))
        const empty = await emptyDatabase()
        const refused = await operate({ DATABASE_URL: empty.url }, ['backup', 'restore', '--from', directory])
        expect(refused.code).toBe(1)
        const { rows } = await empty.db.query('select count(*)::int as count from kassa.merchants')
        expect(rows).toEqual([{ count: 0 }])
        await empty.db.end()
      },
      SLOW,
    )

    test('a directory without a manifest is named as none', async () => {
      const empty = await emptyDatabase()
      const refused = await operate({ DATABASE_URL: empty.url }, ['backup', 'restore', '--from', folder])
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is no backup')])
      await empty.db.end()
    })
  })

  describe('a restore', () => {
    test(
      `after ${kills} kills in its middle the database is empty, and the next one works`,
      async () => {
        const directory = join(folder, 'for-restores')
        await operate(source(), ['backup', 'create', '--to', directory])
        const probe = await emptyDatabase()
        const args = ['backup', 'restore', '--from', directory]
        const [, wholeMs] = await timed(() => operateProcess(args, { DATABASE_URL: probe.url }))
        await probe.db.end()
        const target = await emptyDatabase()
        const settings = { DATABASE_URL: target.url }
        for (const ms of momentsOf(wholeMs)) {
          const hadEnded = await killAfter(ms, settings, args)
          const { rows } = await target.db
            .query(
              `select to_regclass('kassa.merchants') is null or (xpath('/row/c/text()',
           query_to_xml('select count(*) as c from kassa.merchants', false, true, '')))[1]::text = '0' as empty`,
            )
            .catch(() => ({ rows: [{ empty: true }] }))
          if (rows[0]?.empty === false) {
            expect(hadEnded || ms > wholeMs / 2).toBe(true)
            await target.db.query('truncate kassa.merchants cascade')
          }
        }
        await target.db.end()
        expect(await operate(settings, args)).toMatchObject({ code: 0 })
      },
      2 * SLOW,
    )

    test(
      'never overwrites a database that holds merchants',
      async () => {
        const directory = join(folder, 'never-over')
        await operate(source(), ['backup', 'create', '--to', directory])
        const refused = await operate(source(), ['backup', 'restore', '--from', directory])
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringContaining('holds merchants already'),
        ])
      },
      SLOW,
    )
  })

  describe('a move to another PostgreSQL', () => {
    test(
      `is refused while the service runs; after ${kills} kills it works, and the old database refuses to be started`,
      async () => {
        const directory = join(folder, 'for-the-move')
        await operate(source(), ['backup', 'create', '--to', directory])
        const [from, to] = [await emptyDatabase(), await emptyDatabase()]
        await Promise.all([from.db.end(), to.db.end()])
        const settings = { DATABASE_URL: from.url }
        await operate(settings, ['backup', 'restore', '--from', directory])
        const args = ['database', 'move', '--to', to.url]

        const running = await spawnKassa(settings)
        const refused = await operate(settings, args)
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The service is running')])
        await running.kill('SIGTERM')

        const probe = await emptyDatabase()
        await probe.db.end()
        const [, wholeMs] = await timed(() =>
          operateProcess(['backup', 'create', '--to', join(folder, 'as-long')], settings),
        )
        for (const ms of momentsOf(wholeMs)) await killAfter(ms, settings, args)
        const target = openDb(to.url, { world: 'sandbox', max: 1 })
        const { rows } = await target.query(`select to_regclass('kassa.merchants') is not null as found`)
        const { count } = rows[0]?.found
          ? (await target.query('select count(*)::int as count from kassa.merchants')).rows[0]
          : { count: 0 }
        await target.end()
        // Only a kill after the last commit leaves rows there; then nothing may have been noted in the old database either.
        const moved = count === 0 ? await operate(settings, args) : null
        if (moved)
          expect(moved).toMatchObject({
            code: 0,
            stdout: expect.stringContaining('each compared with the original'),
          })

        if (moved) {
          const refusal = await spawnKassa(settings).catch((error: Error) => error.message)
          expect(refusal).toContain('Everything in this database was moved to')
          expect(await operate(settings, ['database', 'reopen'])).toMatchObject({ code: 0 })
          await (await spawnKassa(settings)).kill('SIGTERM')
        }
        const there = await spawnKassa({ DATABASE_URL: to.url })
        try {
          for (const id of paid) expect((await lookUp(there.url, shop, id)).body.capturedMinor).toBe(1900)
        } finally {
          await there.kill('SIGTERM')
        }
      },
      3 * SLOW,
    )
  })
}
