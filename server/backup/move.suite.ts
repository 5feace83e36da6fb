/** A move to another PostgreSQL while buyers pay: nothing that was acknowledged is lost, whatever is started or killed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type KassaProcess, spawnKassa } from '../testing/harness.ts'
import { type MoveCommand, MoveScene } from '../testing/move-scene.ts'
import { operate } from '../testing/operator.ts'
import { findPgbouncer, type Pooler, startPooler } from '../testing/pooler.ts'

/** In the last case the service had passed the checks of its start before the fence. It responds to nobody. */
const REFUSED_START =
  /Everything in this database was moved to|nothing can be stored here any more|writes are refused, because everything is moved to/
/** About as long as the move of a small database takes. Later moves are measured. */
const FIRST_MOVE_MS = 4_000
const REPEATED_MOVE_MS = 3_000
const LIFE = { timeout: 60_000, interval: 5 }
/** Of a move with several starts of processes on a busy machine. `npm run test:long` does many of them. */
const [TEST_MS, LONG_MS] = [300_000, 1_800_000]

type Settings = Record<string, string>

/** Checks the output of a move that has ended. Returns how long it took. */
async function expectMoved(move: MoveCommand): Promise<number> {
  const { code, stdout, stderr } = await move.ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('1. Set DATABASE_URL to the new address')
  return performance.now() - move.startedMs
}

/** Checks what callers and the operator see of a service on the old database, and goes on with the new one. */
async function switchOver(scene: MoveScene, url: string, checked: number): Promise<KassaProcess> {
  const old = scene.services[0] as KassaProcess
  expect((await scene.sell(old.url)).id).toBeUndefined()
  await vi.waitFor(async () => {
    const ready = await fetch(`${old.url}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringMatching(/everything was moved to .*: set DATABASE_URL to it and restart this process/),
    ])
  }, LIFE)
  expect(old.output()).toContain('after the end of the move set DATABASE_URL to it and restart this process')
  await scene.stopBuyers()
  await scene.killServices()
  scene.databaseUrl = url
  const next = await scene.serve()
  await scene.expectAll(next.url, scene.orders.slice(checked))
  return next
}

type Start = { startAtMs: number; settings?: Settings }

/** Returns how long the move took. */
async function startDuringMove(
  scene: MoveScene,
  to: string,
  { startAtMs, settings = {} }: Start,
): Promise<number> {
  const move = scene.startMove(to, settings)
  const late = sleep(startAtMs)
    .then(() => scene.serve(settings))
    .then(
      () => null,
      (error: Error) => error.message,
    )
  const tookMs = await expectMoved(move)
  const refusal = await late
  if (refusal !== null) expect(refusal).toMatch(REFUSED_START)
  console.info(
    `a start after ${Math.round(startAtMs)} of ${Math.round(tookMs)} ms was ${refusal ? 'refused' : 'accepted'}`,
  )
  return tookMs
}

async function moveWithStart(scene: MoveScene, start: Start): Promise<number> {
  const checked = scene.orders.length
  scene.sendBuyers()
  const to = await scene.emptyDatabase()
  const tookMs = await startDuringMove(scene, to.url, start)
  await switchOver(scene, to.url, checked)
  return tookMs
}

/** `from`, `to`: clients of the test. A transaction of theirs makes the command wait at one place. */
type Place = { move: MoveCommand; from: pg.Client; to: pg.Client }

const isTrue = async (client: pg.Client, text: string) =>
  (await client.query(`select ${text} as found`)).rows[0]?.found
const untilTrue = (client: pg.Client, text: string) => vi.waitUntil(() => isTrue(client, text), LIFE)

/** Each returns when the command is at this place. */
const PLACES: Record<string, (place: Place) => Promise<unknown>> = {
  'some tables refuse writes and others do not yet': async ({ move, from }) => {
    await move.until('Comparing every row')
    await from.query('begin')
    await from.query('lock table sandbox.sandbox_workers in row exclusive mode')
    await untilTrue(from, 'exists (select from kassa.moves where fenced_at is not null)')
    await sleep(1_000)
  },
  'the old database is closed and the other one is not yet open': async ({ move, from, to }) => {
    await move.until('Comparing every row')
    await to.query('begin')
    await to.query('select from sandbox.exchanges limit 1')
    await untilTrue(from, 'exists (select from kassa.moves where finished_at is not null)')
  },
  'rows are copied': ({ move }) => move.until('20 of '),
  'the rows are compared': ({ move }) => move.until('Comparing every row'),
  'every write is refused and the last rows are brought over': ({ from }) =>
    untilTrue(from, 'exists (select from kassa.moves where fenced_at is not null)'),
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  return client
}

async function killAt(scene: MoveScene, to: string, name: string): Promise<void> {
  const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(to) }
  const move = scene.startMove(to)
  await PLACES[name]?.({ move, ...clients })
  await move.kill()
  await Promise.all([clients.from.end(), clients.to.end()])
}

/** Gives the move up: only the old database is used, and no service starts on the other one. */
async function takeBack(scene: MoveScene, to: string): Promise<void> {
  const { code, stdout } = await operate({ DATABASE_URL: scene.databaseUrl }, ['database', 'reopen'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('can be started on this database again')])
  expect(await scene.sell(scene.services[0]?.url ?? '')).toMatchObject({ isPaid: true, isRefunded: true })
  const client = await connectTo(to)
  const isFilled = await isTrue(client, `to_regclass('kassa.arrivals') is not null`)
  await client.end()
  if (!isFilled) return
  const refusal = await spawnKassa({ DATABASE_URL: to }).catch((error: Error) => error.message)
  expect(refusal).toContain('A move into this database has not ended, so no service may use it yet.')
}

/**
 * `moments`: at how many moments of a move another service is started. `kills`: at how many places the command is killed. A service
 * is started during each repeated move too.
 */
export function testMove({
  moments,
  kills,
  pooled,
}: {
  moments: number
  kills: number
  pooled: number
}): void {
  describe('a move while buyers pay', () => {
    const scene = new MoveScene()
    beforeAll(async () => {
      await scene.open()
      await scene.serve()
    }, LIFE.timeout)
    afterAll(() => scene.close(), LIFE.timeout)

    test.skipIf(moments === 0)(
      `loses nothing, with a service that is started at each of ${moments} moments of it`,
      async () => {
        let wholeMs = FIRST_MOVE_MS
        for (let moment = 0; moment < moments; moment++)
          wholeMs = await moveWithStart(scene, { startAtMs: ((moment + 0.5) / moments) * wholeMs })
      },
      LONG_MS,
    )

    test.each(Object.keys(PLACES).slice(0, kills))(
      'that is killed when %s can be repeated or given up, and one database is used',
      async (name) => {
        const checked = scene.orders.length
        scene.sendBuyers()
        const to = await scene.emptyDatabase()
        await killAt(scene, to.url, name)
        await takeBack(scene, to.url)
        if (kills > 1) await killAt(scene, to.url, name)
        await startDuringMove(scene, to.url, { startAtMs: REPEATED_MOVE_MS / 2 })
        await switchOver(scene, to.url, checked)
      },
      TEST_MS,
    )

    test('that fails leaves the old database as it was, without a trigger or a note', async () => {
      const to = await scene.emptyDatabase()
      const other = new pg.Client({ connectionString: to.url, application_name: 'kassa other' })
      await other.connect()
      const { code, stderr } = await scene.startMove(to.url).ended
      await other.end()
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('Another process of Kassa uses this database'),
      ])
      expect(await scene.sell(scene.services[0]?.url ?? '')).toMatchObject({ isPaid: true, isRefunded: true })
      const from = await connectTo(scene.databaseUrl)
      const { rows } = await from.query(
        `select tgname as name from pg_trigger where tgname ~ '^kassa_(moved|track)' union all
         select nspname from pg_namespace where nspname = 'kassa_move' union all select target from kassa.moves`,
      )
      await from.end()
      expect(rows).toEqual([])
    })

    test.skipIf(moments === 0)(
      'ends if a service of a newer version upgrades the schema meanwhile',
      async () => {
        const from = await connectTo(scene.databaseUrl)
        const move = scene.startMove((await scene.emptyDatabase()).url)
        await move.until('1 of ')
        const change = `update kassa.migrations set digest = reverse(digest) where schema = 'kassa'`
        await from.query(`create table sandbox.newer (id text primary key); ${change}`)
        const { code, stderr } = await move.ended
        await from.query(`drop table sandbox.newer; ${change}`)
        await from.end()
        expect([code, stderr]).toEqual([1, expect.stringContaining('was upgraded during the move')])
      },
    )

    test('has told the shop of every payment, and nothing of all that was acknowledged is missing', async () => {
      await scene.expectAll(scene.services[0]?.url ?? '')
      await scene.expectEvents()
      console.info(`${scene.orders.length} orders: ${JSON.stringify(scene.answers)}`)
      expect(scene.orders.filter(({ isRefunded }) => isRefunded).length).toBeGreaterThan(0)
    })
  })

  const program = findPgbouncer()
  describe.skipIf(!program || pooled === 0)('a move from behind pgbouncer in transaction mode', () => {
    const scene = new MoveScene()
    let pooler: Pooler | undefined
    beforeAll(() => scene.open(), LIFE.timeout)
    afterAll(async () => {
      await scene.close()
      await pooler?.close()
    }, LIFE.timeout)

    test(
      `loses nothing, with a service that is started at each of ${pooled} moments and with an idle web process`,
      async () => {
        let wholeMs = FIRST_MOVE_MS
        for (let moment = 0; moment < pooled; moment++) {
          await scene.killServices()
          await pooler?.close()
          pooler = await startPooler(program ?? '', scene.databaseUrl, { connections: 5 })
          const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: scene.databaseUrl }
          const idle = await spawnKassa({ ...settings, PROCESS: 'web', LOG_LEVEL: 'error' })
          await scene.serve(settings)
          const startAtMs = ((moment + 0.5) / pooled) * wholeMs
          wholeMs = await moveWithStart(scene, { startAtMs, settings })
          // It was asked nothing before the switch, so it has seen no error.
          const late = await scene.sell(idle.url)
          expect(late.id).toBeUndefined()
          await idle.kill('SIGKILL')
        }
        await scene.expectAll(scene.services[0]?.url ?? '')
        await scene.expectEvents()
      },
      LONG_MS,
    )
  })
}
