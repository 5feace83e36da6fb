/** How each receiver kit is started. A kit whose runtime is not on this machine is skipped with a message. */
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kit, KitShop } from './kit-shop.ts'
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
  /** The path of a file of the kit by its name, if it is not at the top of the shop's folder. */
  places?: Record<string, string>
  /** Creates the project around the kit. It runs before the kit's files are copied. */
  prepare?(folder: string, env: Record<string, string>): Promise<void>
  /** Finishes the project after the kit's files are copied. */
  finish?(folder: string, env: Record<string, string>): Promise<unknown>
  /** The program that receives events. */
  web(port: string): string[]
  /** The program that retries, if the kit needs a second one. Cron would start a program that ends on its own. */
  worker?: string[]
  /** Opens the shop, if it is not a folder with a kit's files. */
  open?(runner: KitRunner, kit: Kit): Promise<KitShop>
}

/** Returns what the program prints as JSON, or null if it does not run. */
function probe<Found>(command: string, args: string[]): Found | null {
  try {
    return JSON.parse(execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return null
  }
}

// Importing the modules would take a second of CPU time. Finding them does not.
const FIND_MODULES = `import importlib.util, json, sys
found = [(name, importlib.util.find_spec(name)) for name in sys.argv[1:]]
print(json.dumps({'executable': sys.executable, 'modules': {name: spec.origin for name, spec in found if spec}}))`
type Python = { executable: string; modules: Record<string, string> }

/** Every Python is started once, by its own path: a shim of a version manager takes longer to start than Python. */
const pythons = PYTHONS.map((command) =>
  probe<Python>(command, ['-c', FIND_MODULES, 'sqlite3', 'flask', 'fastapi', 'uvicorn', 'django']),
)

/** `rest` gets the path of the Python that has these modules, and the first module's file. */
function python(
  label: string,
  modules: string[],
  rest: (command: string, file: string) => Omit<KitRunner, 'label' | 'missing'>,
): KitRunner {
  const found = pythons.find((each) => each && modules.every((name) => name in each.modules))
  const missing = found ? null : `Python with ${modules.join(', ')}`
  return { label, missing, ...rest(found?.executable ?? '', found?.modules[modules[0] ?? ''] ?? '') }
}

const CHECK_PHP = `echo json_encode(['pdo_sqlite' => extension_loaded('pdo_sqlite'), 'Laravel' => is_file('${LARAVEL}')]);`
const phpParts = probe<Record<string, boolean>>('php', ['-r', CHECK_PHP])

function php(label: string, parts: string[], rest: Omit<KitRunner, 'label' | 'missing'>): KitRunner {
  const missing = parts.every((part) => phpParts?.[part]) ? null : `PHP with ${parts.join(' and ')}`
  return { label, missing, ...rest }
}

const node = (label: string, file: string): KitRunner => ({
  label,
  missing: null,
  prepare: (folder) => symlink(MODULES, join(folder, 'node_modules')),
  web: () => [process.execPath, file],
})

export const KIT_RUNNERS: KitRunner[] = [
  node('Node', 'receive.mjs'),
  node('Express', 'receive-express.mjs'),
  python('Python', ['sqlite3'], (command) => ({ web: () => [command, 'receive.py'] })),
  python('Flask', ['flask'], (command) => ({
    web: (port) => [command, '-m', 'flask', '--app', 'receive_flask', 'run', '-p', port],
  })),
  python('FastAPI', ['fastapi', 'uvicorn'], (command) => ({
    web: (port) => [command, '-m', 'uvicorn', 'receive_fastapi:app', '--port', port],
  })),
  python('Django', ['django'], (command, file) => ({
    prepare: (folder) => makeDjangoProject(folder, dirname(file)),
    web: (port) => [command, 'manage.py', 'runserver', '--noreload', port],
  })),
  php('PHP', ['pdo_sqlite'], {
    web: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receive.php'],
    worker: ['php', 'receive.php'],
  }),
  php('Laravel', ['pdo_sqlite', 'Laravel'], {
    places: {
      'KassaServiceProvider.php': 'app/Providers/KassaServiceProvider.php',
      'KassaReceiver.php': 'app/Kassa/KassaReceiver.php',
      'Kassa.php': 'app/Kassa/Kassa.php',
      'orders.php': 'app/Kassa/orders.php',
    },
    ...makeLaravelApp(LARAVEL),
    web: (port) => ['php', '-S', `127.0.0.1:${port}`, '-t', 'public', 'public/index.php'],
    worker: ['php', 'artisan', 'kassa:work'],
  }),
]

const SETTINGS = "\nALLOWED_HOSTS = ['*']\n"
const URLS = `
import receive_django

urlpatterns = [path('kassa/callback', receive_django.callback)]
`

/** `django`: the folder of the framework. */
async function makeDjangoProject(folder: string, django: string): Promise<void> {
  await copyTemplate(join(django, 'conf/project_template'), folder)
  await appendFile(join(folder, 'shop/settings.py'), SETTINGS)
  await appendFile(join(folder, 'shop/urls.py'), URLS)
}

/** Does what `django-admin startproject shop` does, without a start of Django. */
async function copyTemplate(template: string, folder: string): Promise<void> {
  for (const name of await readdir(template, { recursive: true })) {
    if (!name.endsWith('-tpl')) continue
    const text = await readFile(join(template, name), 'utf8')
    const file = join(folder, name.replace('project_name', 'shop').replace(/-tpl$/, ''))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.replaceAll('{{ project_name }}', 'shop').replaceAll(/\{\{ \w+ \}\}/g, 'any'))
  }
}
