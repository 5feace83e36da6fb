/** How each receiver kit is started. A kit whose runtime is not on this machine is skipped with a message. */
import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDjangoProject } from './django-project.ts'
import { makeLaravelApp } from './laravel-app.ts'

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))
/** Debian's Python has Debian's packages. Another Python on the path does not. */
const PYTHONS = ['python3', '/usr/bin/python3']
const LARAVEL = '/usr/share/php/Illuminate/autoload.php'

export type KitRunner = {
  /** The kit's name in the reference. */
  label: string
  /** What this machine is missing, or null. */
  missing: string | null
  /** The path of a file of the kit, if it is not at the top of the shop's folder. */
  places?: Record<string, string>
  /** Creates the project around the kit. It runs before the kit's files are copied. */
  prepare?(folder: string, env: Record<string, string>): Promise<void>
  /** Finishes the project after the kit's files are copied. */
  finish?(folder: string, env: Record<string, string>): void
  /** The program that receives events. */
  web(port: string): string[]
  /** The program that retries, if the kit needs a second one. Cron would start a program that ends on its own. */
  worker?: string[]
  /** The table of the shop's tasks. */
  tasks: string
  /** The table of the payments' newest states. */
  payments: string
}

const TABLES = { tasks: 'kassa_tasks', payments: 'kassa_payments' }

/** Returns the first of these programs that accepts the arguments, or null. */
function firstThatRuns(commands: string[], args: string[]): string | null {
  for (const command of commands)
    try {
      execFileSync(command, args, { stdio: 'ignore' })
      return command
    } catch {}
  return null
}

function python(
  label: string,
  modules: string,
  rest: (command: string) => Omit<KitRunner, 'label' | 'missing'>,
) {
  // Importing the modules would take a second of CPU time. Finding them does not.
  const find = `all(importlib.util.find_spec(name) for name in '${modules}'.split(', '))`
  const command = firstThatRuns(PYTHONS, ['-c', `import importlib.util, sys; sys.exit(not ${find})`])
  return { label, missing: command ? null : `Python with ${modules}`, ...rest(command ?? '') }
}

function php(
  label: string,
  rest: Omit<KitRunner, 'label' | 'missing'>,
  also?: { name: string; check: string },
) {
  const check = `exit(extension_loaded('pdo_sqlite') && ${also?.check ?? 'true'} ? 0 : 1);`
  const missing = firstThatRuns(['php'], ['-r', check]) ? null : `PHP with pdo_sqlite${also?.name ?? ''}`
  return { label, missing, ...rest }
}

const node = (label: string, file: string): KitRunner => ({
  label,
  missing: null,
  prepare: (folder) => symlink(MODULES, join(folder, 'node_modules')),
  web: () => [process.execPath, file],
  ...TABLES,
})

export const KIT_RUNNERS: KitRunner[] = [
  node('Node', 'kassa-receiver-node.mjs'),
  node('Express', 'kassa-receiver-express.mjs'),
  python('Python', 'sqlite3', (command) => ({ web: () => [command, 'kassa_receiver.py'], ...TABLES })),
  python('Flask', 'flask', (command) => {
    const flask = [command, '-m', 'flask', '--app', 'kassa_receiver_flask']
    return { web: (port) => [...flask, 'run', '-p', port], worker: [...flask, 'kassa-work'], ...TABLES }
  }),
  python('FastAPI', 'fastapi, uvicorn', (command) => ({
    web: (port) => [command, '-m', 'uvicorn', 'kassa_receiver_fastapi:app', '--port', port],
    worker: [command, 'kassa_receiver_fastapi.py'],
    ...TABLES,
  })),
  python('Django', 'django', (command) => ({
    places: {
      'django/models.py': 'kassa/models.py',
      'django/views.py': 'kassa/views.py',
      'django/kassa_work.py': 'kassa/management/commands/kassa_work.py',
    },
    ...makeDjangoProject(command),
    web: (port) => [command, 'manage.py', 'runserver', '--noreload', port],
    worker: [command, 'manage.py', 'kassa_work', '--every', '0.3'],
    tasks: 'kassa_task',
    payments: 'kassa_payment',
  })),
  php('PHP', {
    web: (port) => ['php', '-S', `127.0.0.1:${port}`, 'kassa-receiver.php'],
    worker: ['php', 'kassa-receiver.php'],
    ...TABLES,
  }),
  php(
    'Laravel',
    {
      places: {
        'laravel/KassaServiceProvider.php': 'app/Providers/KassaServiceProvider.php',
        'laravel/2026_01_01_000000_create_kassa_tables.php':
          'database/migrations/2026_01_01_000000_create_kassa_tables.php',
      },
      ...makeLaravelApp(LARAVEL),
      web: (port) => ['php', '-S', `127.0.0.1:${port}`, '-t', 'public', 'public/index.php'],
      worker: ['php', 'artisan', 'kassa:work'],
      ...TABLES,
    },
    { name: ' and Laravel', check: `is_file('${LARAVEL}')` },
  ),
]
