/** A move to another PostgreSQL with every service stopped, killed at each step: one copy serves, and nothing is doubled. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../testing/database.ts'
import { connectTo, isTrue, PLACES } from '../../testing/moves/command.ts'
import { MoveScene, type StartService } from '../../testing/moves/scene.ts'

const TEST_MS = 120_000
const NO_WRITE = /writes are refused, because everything is moved to/

type Size = {
  /** The places at which a move in a process of its own is killed. At the others it is in the test's, and its connections are cut. */
  killed: readonly string[]
  /** The places at which it is given up too. */
  givenUp: readonly string[]
  /** The places after which the new database serves too. After the others its rows are counted. */
  served: readonly string[]
}
const PLACE_NAMES = Object.keys(PLACES)

/** `start`: how the services are started. */
export function testMoves(
  start: StartService,
  { killed, givenUp, served }: Size = { killed: PLACE_NAMES, givenUp: PLACE_NAMES, served: PLACE_NAMES },
): void {
  const scene = new MoveScene(start)
  beforeAll(async () => {
    await scene.open()
    await scene.whileServing(({ url }) => scene.sell(url))
  }, TEST_MS)
  afterAll(() => scene.close())

  /** Returns why a service does not start on this database. */
  async function refusalAt(url: string): Promise<string> {
    const started = await start({ DATABASE_URL: url }).catch((error: Error) => error.message)
    if (typeof started === 'string') return started
    await started.stop()
    return 'It started.'
  }

  /** No service starts there, and no program can store anything. */
  async function expectClosed(url: string): Promise<void> {
    expect(await refusalAt(url)).toMatch(
      /Everything in this database (was|is being) moved to|and nothing can be stored here/,
    )
    const client = await connectTo(url)
    await expect(client.query(`update sandbox.products set name = 'Ghost'`)).rejects.toThrow(NO_WRITE)
    await client.end()
  }

  async function countRows(url: string): Promise<unknown> {
    const client = await connectTo(url)
    const counts = ['payments', 'entries', 'operations', 'events', 'idempotency_keys', 'restores']
      .map((table) => `(select count(*) from sandbox.${table}) as ${table}`)
      .join(', ')
    const shared = `(select count(*) from kassa.console_sessions) as sessions, (select count(*) from kassa.operators) as people`
    const { rows } = await client.query(`select ${counts}, ${shared}`)
    await client.end()
    return rows[0]
  }

  /** The database that the last move has closed. */
  let former = ''

  /** Moves, unless a test before has moved. */
  async function untilMoved(): Promise<void> {
    if (former === '') await expectMoved(await scene.emptyDatabase())
  }

  /** Moves, and checks that the new database alone serves, with everything once. */
  async function expectMoved(
    to: string,
    { text = 'each compared with the original', isServed = true } = {},
  ): Promise<void> {
    const old = scene.databaseUrl
    const { code, stdout, stderr } = await scene.operate('database', 'move', '--to', to)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(text)
    await expectClosed(old)
    expect(await countRows(to)).toEqual(await countRows(old))
    former = old
    scene.databaseUrl = to
    if (!isServed) return
    await scene.whileServing(async ({ url }) => {
      await scene.expectAll(url)
      await scene.sell(url)
    })
  }

  async function killAt(to: string, name: string): Promise<void> {
    const { before, reached } = PLACES[name] as (typeof PLACES)[string]
    const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(to) }
    await before?.(clients)
    const move = killed.includes(name) ? scene.startMove(to) : await scene.startMoveHere(to)
    await reached({ move, ...clients })
    await move.kill()
    await Promise.all([clients.from.end(), clients.to.end()])
  }

  describe.each(PLACE_NAMES)('a move that is killed when %s', (name) => {
    test(
      'can be repeated: no service starts on the old database, and the new one has everything once',
      async () => {
        const to = await scene.emptyDatabase()
        await killAt(to, name)
        if (name.startsWith('some tables'))
          expect(await refusalAt(scene.databaseUrl)).toContain('nothing can be stored here')
        else await expectClosed(scene.databaseUrl)
        const isFilled = /compared|closed/.test(name)
        if (isFilled) expect(await refusalAt(to)).toContain('A move into this database has not ended')
        const ended = name.includes('is closed') ? { text: 'was in 127.0.0.1' } : {}
        await expectMoved(to, { ...ended, isServed: served.includes(name) })
      },
      TEST_MS,
    )

    if (!givenUp.includes(name) || name.includes('is closed')) return
    test(
      'can be given up: the old database serves, and no service starts on the copy',
      async () => {
        const to = await scene.emptyDatabase()
        await killAt(to, name)
        const { code, stdout } = await scene.operate('database', 'reopen')
        expect([code, stdout]).toEqual([0, expect.stringContaining('can be started on this database again')])
        await scene.whileServing(async ({ url }) => {
          await scene.expectAll(url)
          await scene.sell(url)
        })
        const client = await connectTo(to)
        const isFilled = await isTrue(client, `to_regclass('kassa.incoming_moves') is not null`)
        await client.end()
        if (isFilled) expect(await refusalAt(to)).toContain('A move into this database has not ended')
      },
      TEST_MS,
    )
  })

  test(
    'a move is refused while a service runs, and changes nothing',
    async () => {
      const to = await scene.emptyDatabase()
      await scene.whileServing(async ({ url }) => {
        const { code, stderr } = await scene.operate('database', 'move', '--to', to)
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/Stop every service and worker of this database/),
        ])
        await scene.sell(url)
      })
    },
    TEST_MS,
  )

  test(
    'a move is refused while a process that no connection shows has used the database',
    async () => {
      const client = await connectTo(scene.databaseUrl)
      await client.query(
        `insert into kassa.processes (id, name, key_ids, rotates) values ('p', 'kassa behind a pooler', '{x}', false)`,
      )
      const { code, stderr } = await scene.operate('database', 'move', '--to', await scene.emptyDatabase())
      await client.query(`delete from kassa.processes where id = 'p'`)
      await client.end()
      expect([code, stderr]).toEqual([1, expect.stringMatching(/kassa behind a pooler.*Stop every service/)])
    },
    TEST_MS,
  )

  test(
    'sessions, tokens and people stay, and no comparison with the providers begins',
    async () => {
      await untilMoved()
      const client = await connectTo(scene.databaseUrl)
      const { rows } = await client.query(
        `select (select count(*)::int from kassa.console_sessions) as sessions,
           (select count(*)::int from kassa.operators where removed_at is null) as people,
           (select count(*)::int from sandbox.api_keys where revoked_at is null) as tokens,
           (select count(*)::int from sandbox.restores) as restores`,
      )
      await client.end()
      expect(rows).toEqual([{ sessions: 1, people: 1, tokens: 1, restores: 0 }])
    },
    TEST_MS,
  )

  test(
    'another database with merchants is never overwritten, and a database that was moved is not moved again',
    async () => {
      const other = await createTestDatabase(inject('postgresUrl'))
      const client = await connectTo(other.url)
      await client.query(
        `insert into kassa.merchants (id, name, created_at) values ('mer_1', 'Other', now())`,
      )
      await client.end()
      const { code, stderr } = await scene.operate('database', 'move', '--to', other.url)
      await other.drop()
      expect([code, stderr]).toEqual([1, expect.stringContaining('already has merchants')])
      await untilMoved()
      const third = await scene.emptyDatabase()
      const moved = scene.databaseUrl
      scene.databaseUrl = former
      const again = await scene.operate('database', 'move', '--to', third)
      scene.databaseUrl = moved
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was moved to 127.0.0.1')])
    },
    TEST_MS,
  )

  /** What an earlier command may have left, and what the next one says about it. */
  const LEFT = {
    'The service can be started on this database.': 'select',
    'This database refuses writes since an earlier run of this command.': `insert into kassa.moves
      values (gen_random_uuid(), 'db.example/kassa', now(), now(), null)`,
    'No payment can be stored until the other database is open.': `insert into kassa.moves
      values (gen_random_uuid(), 'db.example/kassa', now(), now(), now())`,
  }

  test.each(Object.entries(LEFT))('a move to a server that is away says %s', async (consequence, left) => {
    const from = await connectTo(scene.databaseUrl)
    await from.query(left)
    const away = 'postgres://kassa@127.0.0.1:1/kassa'
    const { code, stdout, stderr } = await scene.operate('database', 'move', '--to', away)
    await from.query('delete from kassa.moves')
    await from.end()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^The other database \(127\.0\.0\.1:1\/kassa\) cannot be reached: .+ has changed nothing\. /,
    )
    expect(stderr).toContain(`${consequence} Check the address`)
    expect(stderr.includes('database reopen')).toBe(left.includes('null'))
  })

  // What is stored is as after a kill at this place, so `npm test` leaves out the message.
  if (killed.length > 1)
    test(
      'a move whose connections to the old database are lost says what to do, and succeeds when it is repeated',
      async () => {
        const to = await scene.emptyDatabase()
        const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(to) }
        const place = PLACES['everything is compared and the old database is about to be closed']
        await place?.before?.(clients)
        const move = scene.startMove(to)
        await place?.reached({ move, ...clients })
        await clients.from.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'kassa %'`,
        )
        await Promise.all([clients.from.end(), clients.to.end()])
        const { code, stderr } = await move.ended
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/The connection to this database was lost.*run this command again/),
        ])
        await expectMoved(to)
      },
      TEST_MS,
    )
}
