import { spawnKassa } from '../../testing/harness.ts'
import { testRaces } from './refund-race.suite.ts'

testRaces(
  async (settings) => {
    const { url, kill } = await spawnKassa(settings)
    return { url, stop: () => kill('SIGKILL') }
  },
  { rounds: 50, mixedRounds: 10 },
)
