import { openBackupScene } from '../testing/scene/backup.ts'
import { testBackups } from './backup.suite.ts'

const scene = openBackupScene()
/** `npm run test:long` kills each command too. */
testBackups(0, scene)
