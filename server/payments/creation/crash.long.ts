import { expect, test } from 'vitest'
import { openShop, startKassa } from '../../testing/harness.ts'
import { freshSeed, seededRandom } from '../../testing/random.ts'
import { surviveServerKills } from './crash.suite.ts'

test('kill -9 of the server in the middle of 200 creations, ten times, loses nothing and doubles nothing', async () => {
  const kassa = await startKassa()
  const seed = freshSeed()
  try {
    const shop = await openShop(kassa.ctx)
    await surviveServerKills(kassa, shop, { rounds: 10, creations: 200, random: seededRandom(seed) })
    const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.payments')
    process.stdout.write(`kills in mid-creation with seed ${seed}: ${rows[0].count} payments\n`)
    expect(rows[0].count).toBe(2_000)
  } finally {
    await kassa.close()
  }
})
