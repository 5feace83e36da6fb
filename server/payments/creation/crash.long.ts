import { expect, test } from 'vitest'
import { openShop, startKassa } from '../../testing/harness.ts'
import { freshSeed, seededRandom } from '../../testing/random.ts'
import { surviveServerKills } from './crash.suite.ts'

test('kill -9 of the server during 200 creations, ten times, loses no payment and creates none twice', async () => {
  const kassa = await startKassa()
  const seed = freshSeed()
  try {
    const shop = await openShop(kassa.ctx)
    await surviveServerKills(kassa, shop, { rounds: 10, creations: 200, random: seededRandom(seed) })
    const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.payments')
    process.stdout.write(`kills during creations with seed ${seed}: ${rows[0].count} payments\n`)
    expect(rows[0].count).toBe(2_000)
  } finally {
    await kassa.close()
  }
})
