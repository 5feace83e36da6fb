/**
 * Loads what the service and its command line are made of, and ends. Node writes its compile cache only when a process
 * ends by itself, and most processes of the tests are killed.
 */
import '../admin/program.ts'
import '../app.ts'
import '../demo/seed.ts'
import '../metrics/serve.ts'
import '../service.ts'
import '../worker/sandbox-worker.ts'
import './providers/counting-bank.ts'
