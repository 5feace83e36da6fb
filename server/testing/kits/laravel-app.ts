/** The smallest Laravel application that the Laravel kit can be added to, on the framework that Debian installs. */
import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { KitRunner } from './runners.ts'

const files = (autoload: string): Record<string, string> => ({
  'bootstrap/cache/.gitignore': '*',
  'storage/framework/views/.gitignore': '*',
  'bootstrap/app.php': `<?php
require_once '${autoload}';
require_once '${dirname(autoload)}/Foundation/helpers.php';
spl_autoload_register(function ($class) {
    $path = str_replace('\\\\', '/', $class) . '.php';
    $file = str_starts_with($path, 'App/') ? __DIR__ . '/../app' . substr($path, 3) : "${dirname(dirname(autoload))}/$path";
    if (is_file($file)) {
        require $file;
    }
});
$app = new Illuminate\\Foundation\\Application(dirname(__DIR__));
$app->singleton(Illuminate\\Contracts\\Http\\Kernel::class, Illuminate\\Foundation\\Http\\Kernel::class);
$app->singleton(Illuminate\\Contracts\\Console\\Kernel::class, Illuminate\\Foundation\\Console\\Kernel::class);
$app->singleton(Illuminate\\Contracts\\Debug\\ExceptionHandler::class, Illuminate\\Foundation\\Exceptions\\Handler::class);
return $app;
`,
  'public/index.php': `<?php
$app = require __DIR__ . '/../bootstrap/app.php';
$kernel = $app->make(Illuminate\\Contracts\\Http\\Kernel::class);
$request = Illuminate\\Http\\Request::capture();
$response = $kernel->handle($request)->send();
$kernel->terminate($request, $response);
`,
  artisan: `<?php
$app = require __DIR__ . '/bootstrap/app.php';
$kernel = $app->make(Illuminate\\Contracts\\Console\\Kernel::class);
exit($kernel->handle(new Symfony\\Component\\Console\\Input\\ArgvInput, new Symfony\\Component\\Console\\Output\\ConsoleOutput));
`,
  'composer.json': '{"autoload": {"psr-4": {"App\\\\": "app/"}}}',
  'config/app.php': `<?php
return ['env' => 'production', 'debug' => false, 'timezone' => 'UTC', 'locale' => 'en', 'key' => str_repeat('k', 32),
    'cipher' => 'AES-256-CBC', 'aliases' => [], 'providers' => [
        Illuminate\\Bus\\BusServiceProvider::class,
        Illuminate\\Cache\\CacheServiceProvider::class,
        Illuminate\\Database\\DatabaseServiceProvider::class,
        Illuminate\\Encryption\\EncryptionServiceProvider::class,
        Illuminate\\Filesystem\\FilesystemServiceProvider::class,
        Illuminate\\Foundation\\Providers\\ConsoleSupportServiceProvider::class,
        Illuminate\\Foundation\\Providers\\FoundationServiceProvider::class,
        Illuminate\\Queue\\QueueServiceProvider::class,
        Illuminate\\View\\ViewServiceProvider::class,
        App\\Providers\\KassaServiceProvider::class,
    ]];
`,
  'config/cache.php': `<?php return ['default' => 'array', 'stores' => ['array' => ['driver' => 'array']]];`,
  'config/database.php': `<?php
return ['default' => 'sqlite', 'migrations' => 'migrations', 'connections' => [
    'sqlite' => ['driver' => 'sqlite', 'database' => env('KASSA_DATABASE'), 'prefix' => '']]];
`,
  'config/logging.php': `<?php
return ['default' => 'stderr', 'channels' => ['stderr' => ['driver' => 'monolog',
    'handler' => Monolog\\Handler\\StreamHandler::class, 'with' => ['stream' => 'php://stderr']]]];
`,
  'config/queue.php': `<?php return ['default' => 'sync', 'connections' => ['sync' => ['driver' => 'sync']]];`,
  'config/services.php': `<?php return ['kassa' => ['secret' => env('KASSA_WEBHOOK_SECRET')]];`,
  'config/view.php': `<?php return ['paths' => [], 'compiled' => dirname(__DIR__) . '/storage/framework/views'];`,
})

/** `autoload`: the file that loads Illuminate's classes. */
export function makeLaravelApp(autoload: string): Pick<KitRunner, 'prepare' | 'finish'> {
  return {
    async prepare(folder, env) {
      for (const [name, text] of Object.entries(files(autoload))) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), text)
      }
      await writeFile(env.KASSA_DATABASE ?? '', '')
      // The shop's prices are beside its function.
      await mkdir(join(folder, 'app/Kassa'), { recursive: true })
      await symlink(join(folder, 'prices.json'), join(folder, 'app/Kassa/prices.json'))
    },
    finish: (folder, env) => promisify(execFile)('php', ['artisan', 'kassa:work'], { cwd: folder, env }),
  }
}
