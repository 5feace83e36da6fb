import { PLACES, type PlaceName } from '../../testing/moves/command.ts'
import { testCrashes } from './crash.suite.ts'
import { testLazyDisk } from './lazy-disk.suite.ts'

testCrashes(Object.keys(PLACES) as PlaceName[])
testLazyDisk()
