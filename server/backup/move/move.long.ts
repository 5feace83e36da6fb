import { spawnKassa } from '../../testing/harness.ts'
import { testMoves } from './move.suite.ts'

testMoves(async (settings) => {
  const { url, kill } = await spawnKassa(settings)
  return { url, stop: () => kill('SIGTERM') }
})
