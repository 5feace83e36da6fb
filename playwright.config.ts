/** End-to-end tests: the built widget and the real service in a real Chromium, every worker with a Kassa of its own. */
import { defineConfig } from '@playwright/test'
import { findChromium, findHeadlessChromium } from './e2e/support/browser.ts'

// A headless shell has no window. The processes that run the tests load this file again, without the arguments.
if (process.argv.includes('--headed')) process.env.CHROMIUM_PATH ??= findChromium() ?? ''

// Each look starts programs, and the processes that run the tests take the answer from here.
process.env.KASSA_TEST_BROWSER ??= findHeadlessChromium() ?? ''
const executablePath = process.env.KASSA_TEST_BROWSER
if (!executablePath) throw new Error('There is no Chromium. To get one: node e2e/support/browser.ts')

/** Tests with the tag `@long` are run by `npm run test:long` alone, or by the name of their file with KASSA_TEST_LONG=1. */
const isLong = process.env.KASSA_TEST_LONG !== undefined
const isRoot = process.getuid?.() === 0

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // Few machines have Firefox. Its tests repeat those of Chromium.
  testIgnore: isLong ? [] : '**/firefox.spec.ts',
  ...(isLong ? {} : { grepInvert: /@long/ }),
  globalSetup: './server/testing/processes/build-programs.ts',
  outputDir: 'test-results',
  reporter: 'list',
  workers: 2,
  fullyParallel: true,
  retries: 0,
  // As for the unit tests: a limit only ends what hangs, so no test has one of its own.
  timeout: isLong ? 1_200_000 : 600_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-US',
    screenshot: 'only-on-failure',
    // Else each page that waits is drawn 60 times a second.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath,
      args: [
        // Chromium's own sandbox cannot be set up by root, as in most containers.
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        '--disable-gpu',
        // A response with Origin-Agent-Cluster, as helmet sends it, would get a renderer process of its own. Each process costs
        // CPU time, and no check depends on it: one renderer for each test's browser context is enough.
        '--disable-site-isolation-trials',
        '--renderer-process-limit=1',
      ],
      // A pay button that stays busy after Back is a bug that only shows with the page cache on.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    },
  },
})
