import { test } from 'vitest'
import { surviveManySales } from './many-sales.suite.ts'

test('a thousand sales at once and ten killed workers: each order once, and each piece of news in one mail', async () => {
  process.stdout.write(`${await surviveManySales({ sales: 1_000, kills: 10 })}\n`)
})
