/** A PostgreSQL that is killed during a move: nothing that was acknowledged is lost, and the repeated move succeeds. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectTo, PLACES, type PlaceName } from '../../testing/moves/command.ts'
import { type Deployment, MoveScene } from '../../testing/moves/scene.ts'
import { MortalServer } from '../../testing/moves/servers.ts'
import { expectMoved, switchOver } from '../../testing/moves/switch-over.ts'
import type { Operated } from '../../testing/operator.ts'

const LIFE = { timeout: 60_000, interval: 100 }
const TEST_MS = 300_000

/** Where a crash finds the old database: it takes writes, it refuses them, or the command closes it, whatever happens to the other one. */
const STATES: Record<PlaceName, 'open' | 'fenced' | 'closed'> = {
  'rows are copied': 'open',
  'the rows are compared': 'open',
  'some tables refuse writes and others do not yet': 'fenced',
  'every write is refused and the last rows are brought over': 'fenced',
  'everything is brought over and the old database is about to be closed': 'closed',
  'the old database is closed and the other one is not yet open': 'closed',
}
const OLD_LOST =
  /^The connection to this database was lost during the move: .+ Payments may be refused until the move goes on\. When this database can be reached, run this command again: it continues the move\.\nGive the move up instead: npm run -s admin -- database reopen\n$/
const NEW_LOST =
  /^A database could not be used during the move to 127\.0\.0\.1:.+ Nothing was moved\. The service goes on with this database\. When both databases can be reached, run this command again\.\n$/
const NOT_OPENED =
  /^Everything is in 127\.0\.0\.1:.+ No payment can be stored until the other database is open\. When it can be reached, run this command again: it takes only a moment\.\n$/

type Case = {
  scene: MoveScene
  from: MortalServer
  to: MortalServer
  name: PlaceName
  crashes: 'old' | 'new'
}

/** Moves with a crash, until the move has ended well. Returns the output of the last command, and the address of the new database. */
async function moveThroughCrash({ scene, from, to, name, crashes }: Case): Promise<string> {
  const { url } = await to.emptyDatabase()
  const clients = { from: await connectTo(scene.databaseUrl), to: await connectTo(url) }
  const move = scene.startMove(url)
  await PLACES[name]({ move, ...clients })
  const crashed = crashes === 'old' ? from : to
  await crashed.kill()
  await Promise.allSettled([clients.from.end(), clients.to.end()])
  const ended = await move.ended
  await crashed.untilUp()
  // A process of the killed server may have closed the old database. Then the move ends without it.
  if (ended.code === 0) expect([crashes, STATES[name]]).toEqual(['old', 'closed'])
  else await expectRepeated({ scene, name, crashes }, ended, url)
  tellFigures(name, crashes, (await move.ended).stdout)
  return url
}

async function expectRepeated(
  { scene, name, crashes }: Pick<Case, 'scene' | 'name' | 'crashes'>,
  { code, stderr }: Operated,
  url: string,
): Promise<void> {
  const state = STATES[name]
  const lost = state === 'closed' ? NOT_OPENED : NEW_LOST
  expect([code, stderr]).toEqual([1, expect.stringMatching(crashes === 'old' ? OLD_LOST : lost)])
  const service = scene.services[0]?.url ?? ''
  if (state === 'open' || (state === 'fenced' && crashes === 'new'))
    await vi.waitUntil(async () => (await scene.sell(service).catch(() => null))?.isRefunded, LIFE)
  else expect((await scene.sell(service)).id).toBeUndefined()
  const repeated = scene.startMove(url)
  await expectMoved(repeated)
  tellFigures(name, crashes, (await repeated.ended).stdout)
}

function tellFigures(name: string, crashes: string, stdout: string): void {
  const [figures] = /While writes were refused: .*|The interrupted move has ended now/.exec(stdout) ?? []
  if (figures) console.info(`${crashes} server crashed when ${name}: ${figures}`)
}

export function testCrashes(places: PlaceName[], deployment: Partial<Deployment> = {}): void {
  const servers = [new MortalServer(), new MortalServer()] as const
  let [from, to] = servers
  const scene = new MoveScene({ ...deployment, emptyDatabase: () => from.emptyDatabase() })
  beforeAll(async () => {
    for (const server of servers) await server.start()
    await scene.open()
    await scene.serve()
  }, LIFE.timeout)
  afterAll(async () => {
    await scene.close()
    for (const server of servers) await server.close()
  }, LIFE.timeout)

  describe.each(places)('when %s', (name) => {
    test.each(['old', 'new'] as const)(
      'a crash of the %s server loses nothing, and the repeated move succeeds',
      async (crashes) => {
        const checked = scene.orders.length
        scene.sendBuyers()
        const url = await moveThroughCrash({ scene, from, to, name, crashes })
        await switchOver(scene, url, checked)
        ;[from, to] = [to, from]
      },
      TEST_MS,
    )
  })

  test('the shop was told of every payment, and nothing of all that was acknowledged is missing', async () => {
    await scene.expectAll(scene.services[0]?.url ?? '')
    await scene.expectEvents()
    scene.expectBooks()
    console.info(`${scene.orders.length} orders: ${JSON.stringify(scene.answers)}`)
    expect(scene.orders.filter(({ isRefunded }) => isRefunded).length).toBeGreaterThan(0)
  })
}
