/**
 * A move between servers one of which lets commits return before they are on disk. Its operator has accepted that a crash loses the
 * payments of its last seconds. A crash must neither lose payments that were moved nor open both databases.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectTo, isTrue, PLACES, type Place, untilTrue } from '../../testing/moves/command.ts'
import { MoveScene } from '../../testing/moves/scene.ts'
import { MortalServer } from '../../testing/moves/servers.ts'
import { expectMoved, switchOver } from '../../testing/moves/switch-over.ts'

const TEST_MS = 300_000
const LAZY = { synchronous_commit: 'off', wal_writer_delay: '10s' }
const GHOST = `exists (select from sandbox.products where id = 'tea' and name = 'Ghost')`

type Servers = { from: MortalServer; to: MortalServer }
type Work = (scene: MoveScene, to: string) => Promise<void>

/** Runs `work` on a shop that is to be moved from one server to the other. */
async function onScene({ from, to }: Servers, work: Work): Promise<void> {
  const scene = new MoveScene({ emptyDatabase: () => from.emptyDatabase() })
  await scene.open()
  await scene.serve()
  await storeOnDisk(scene.databaseUrl)
  try {
    await work(scene, (await to.emptyDatabase()).url)
  } finally {
    await scene.close()
  }
}

/** A commit that waits for the disk takes all earlier ones with it. */
async function storeOnDisk(url: string): Promise<void> {
  const client = await connectTo(url)
  await client.query('set synchronous_commit = on')
  await client.query('update sandbox.products set name = name')
  await client.end()
}

/** Kills the server when the command is at a place. */
async function moveUntilCrash(
  scene: MoveScene,
  to: string,
  { server, reach }: { server: MortalServer; reach(place: Place): Promise<unknown> },
): Promise<void> {
  const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(to) }
  const move = scene.startMove(to)
  await reach({ move, ...clients })
  await server.kill()
  await Promise.allSettled([clients.from.end(), clients.to.end()])
  expect((await move.ended).code).toBe(1)
  await server.untilUp()
}

/** The command copies a row, and then waits at the row's note. */
async function copyGhost({ move, from, to }: Place): Promise<void> {
  await move.until('1 of ')
  await from.query(`update sandbox.products set name = 'Ghost' where id = 'tea'`)
  await from.query('begin; lock table kassa_move."sandbox.products" in share mode')
  await untilTrue(to, `to_regclass('sandbox.products') is not null`)
  await untilTrue(to, GHOST)
}

export function testLazyDisk(): void {
  describe('with a server whose commits return before they are on disk', () => {
    const safe = new MortalServer()
    const lazy = new MortalServer()
    beforeAll(async () => {
      await Promise.all([safe.start(), lazy.start(LAZY)])
    }, TEST_MS)
    afterAll(async () => {
      await Promise.all([safe.close(), lazy.close()])
    }, TEST_MS)

    test(
      'a crash of the new database before it is open loses none of the last rows',
      () =>
        onScene({ from: safe, to: lazy }, async (scene, to) => {
          scene.sendBuyers()
          const reach = PLACES['the old database is closed and the other one is not yet open']
          await moveUntilCrash(scene, to, { server: lazy, reach })
          await expectMoved(scene.startMove(to))
          await switchOver(scene, to, 0)
        }),
      TEST_MS,
    )

    test(
      'a crash of the old database after the move leaves it closed',
      () =>
        onScene({ from: lazy, to: safe }, async (scene, to) => {
          scene.sendBuyers()
          await expectMoved(scene.startMove(to))
          await lazy.kill()
          await lazy.untilUp()
          await switchOver(scene, to, 0)
        }),
      TEST_MS,
    )

    test(
      'a row that the other database has got is kept, so the repeated move succeeds',
      () =>
        onScene({ from: lazy, to: safe }, async (scene, to) => {
          await scene.killServices()
          await moveUntilCrash(scene, to, { server: lazy, reach: copyGhost })
          await expectMoved(scene.startMove(to))
          const moved = await connectTo(to)
          expect(await isTrue(moved, GHOST)).toBe(true)
          await moved.end()
        }),
      TEST_MS,
    )
  })
}
