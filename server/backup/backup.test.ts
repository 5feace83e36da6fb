import { openBackupScene } from '../testing/backup-scene.ts'
import { testBackups } from './backup.suite.ts'

const scene = openBackupScene()
/** `npm run test:long` kills each command too. */
testBackups(0, scene)
