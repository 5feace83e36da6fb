import { expect, test } from 'vitest'
import { countRooms, readLimits } from './lines.ts'

test('no room has more lines than its limit in room-lines.json (a limit is only raised with a reason in the commit; npm run lines -- --lower lowers them)', () => {
  const limits = readLimits()
  const grown = [...countRooms()].flatMap(([room, { lines }]) => {
    const limit = limits[room] ?? 0
    return lines > limit ? [`${room}: ${lines} lines, and its limit is ${limit}`] : []
  })
  expect(grown).toEqual([])
})
