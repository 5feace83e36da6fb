/** A move to another PostgreSQL while buyers pay: nothing that was acknowledged is lost, whatever is started or killed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spawnKassa } from '../../testing/harness.ts'
import { connectTo, isTrue, PLACES, type PlaceName } from '../../testing/moves/command.ts'
import { type Deployment, MoveScene } from '../../testing/moves/scene.ts'
import { expectMoved, switchOver } from '../../testing/moves/switch-over.ts'
import { findPgbouncer, type Pooler, startPooler } from '../../testing/pooler.ts'

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

/** What an earlier command may have left, and what the next one says of it. */
const LEFT = {
  'The service goes on with this database.': 'select',
  'Payments are refused since an earlier run of this command.': `insert into kassa.moves
    values (gen_random_uuid(), 'db.example/kassa', now(), now(), null)`,
  'No payment can be stored until the other database is open.': `insert into kassa.moves
    values (gen_random_uuid(), 'db.example/kassa', now(), now(), now())`,
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

async function killAt(scene: MoveScene, to: string, name: PlaceName): Promise<void> {
  const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(to) }
  const move = scene.startMove(to)
  await PLACES[name]({ move, ...clients })
  await move.kill()
  await Promise.all([clients.from.end(), clients.to.end()])
}

/** Gives the move up: only the old database is used, and no service starts on the other one. */
async function takeBack(scene: MoveScene, to: string): Promise<void> {
  const { code, stdout } = await scene.operate('database', 'reopen')
  expect([code, stdout]).toEqual([0, expect.stringContaining('can be started on this database again')])
  expect(await scene.sell(scene.services[0]?.url ?? '')).toMatchObject({ isPaid: true, isRefunded: true })
  const client = await connectTo(to)
  const isFilled = await isTrue(client, `to_regclass('kassa.incoming_moves') is not null`)
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
  deployment = () => ({}),
}: {
  moments: number
  kills: number
  pooled: number
  deployment?: () => Partial<Deployment>
}): void {
  describe('a move while buyers pay', () => {
    const scene = new MoveScene(deployment())
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

    test.each((Object.keys(PLACES) as PlaceName[]).slice(0, kills))(
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

    test.each(Object.entries(LEFT))('to a server that is away says %s', async (consequence, left) => {
      const from = await connectTo(scene.databaseUrl)
      await from.query(left)
      const to = 'postgres://kassa@127.0.0.1:1/kassa'
      const { code, stdout, stderr } = await scene.operate('database', 'move', '--to', to)
      await from.query('delete from kassa.moves')
      await from.end()
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^The other database \(127\.0\.0\.1:1\/kassa\) cannot be reached: .+\. This command has changed nothing\. /,
      )
      expect(stderr).toContain(`${consequence} Check the address`)
      expect(stderr.includes('database reopen')).toBe(left.includes('null'))
    })

    test.skipIf(moments === 0)(
      'ends if other programs keep tables locked, and the service goes on beside them',
      async () => {
        const from = await connectTo(scene.databaseUrl)
        const reader = await connectTo(scene.databaseUrl)
        await reader.query('begin; lock table sandbox.payments in access share mode')
        const move = scene.startMove((await scene.emptyDatabase()).url)
        await PLACES['some tables refuse writes and others do not yet']({ move, from, to: from })
        const { code, stderr } = await move.ended
        expect([code, stderr]).toEqual([1, expect.stringContaining('keeps a table of this database locked')])
        expect(await scene.sell(scene.services[0]?.url ?? '')).toMatchObject({ isRefunded: true })
        await Promise.all([from.end(), reader.end()])
        const reopened = await scene.operate('database', 'reopen')
        expect(reopened.code).toBe(0)
      },
    )

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
      scene.expectBooks()
      console.info(`${scene.orders.length} orders: ${JSON.stringify(scene.answers)}`)
      expect(scene.orders.filter(({ isRefunded }) => isRefunded).length).toBeGreaterThan(0)
    })
  })

  const program = findPgbouncer()
  describe.skipIf(!program || pooled === 0)('a move from behind pgbouncer in transaction mode', () => {
    const scene = new MoveScene(deployment())
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
        scene.expectBooks()
      },
      LONG_MS,
    )
  })
}
