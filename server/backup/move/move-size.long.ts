/** The seconds in which a move of many payments refuses writes. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MoveScene } from '../../testing/moves/scene.ts'
import { multiplyPayment, untilFinished } from '../../testing/payments/multiply.ts'

const PAYMENTS = 200_000
/** For a busy machine. How many payments there are does not matter. */
const FENCE_MAX_SECONDS = 15

const scene = new MoveScene()
beforeAll(async () => {
  await scene.open()
  const service = await scene.serve()
  await scene.sell(service.url)
  await scene.expectAll(service.url)
  await scene.expectEvents()
  const client = new pg.Client({ connectionString: scene.databaseUrl })
  await client.connect()
  await untilFinished(client)
  await scene.killServices()
  console.info(`${await multiplyPayment(client, PAYMENTS)} rows`)
  await client.end()
}, 600_000)
afterAll(() => scene.close())

test(`a move of ${PAYMENTS} payments under load refuses writes for seconds, however long the copy takes`, async () => {
  await scene.serve()
  scene.sendBuyers()
  const to = await scene.emptyDatabase()
  const { code, stdout, stderr } = await scene.startMove(to.url).ended
  expect([code, stderr]).toEqual([0, ''])
  await scene.stopBuyers()
  console.info(`${stdout.split('\n').slice(-12).join('\n')}\n${JSON.stringify(scene.answers)}`)
  const [, fence] = /While writes were refused: (\d+\.\d) seconds/.exec(stdout) ?? []
  expect(Number(fence)).toBeLessThan(FENCE_MAX_SECONDS)
  await scene.killServices()
  scene.databaseUrl = to.url
  const next = await scene.serve()
  await scene.expectAll(next.url)
}, 1_800_000)
