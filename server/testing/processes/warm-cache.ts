/**
 * Loads the modules of the service and its command line, and ends. Node writes its compile cache only when a process ends on
 * its own, and most processes of the tests are killed.
 */
import '../../admin/program.ts'
import '../../app.ts'
import '../../demo/seed.ts'
import '../../metrics/serve.ts'
import '../../service.ts'
import '../../worker/sandbox-worker.ts'
import '../providers/counting-bank.ts'
