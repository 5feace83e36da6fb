/** The plug-in for Medusa on a real Medusa. */
import { runScenarios } from '../platforms.suite.ts'
import { CHANGED_AFTER_PAYING } from '../scenarios.ts'
import { MEDUSA } from './driver.ts'

runScenarios(MEDUSA, CHANGED_AFTER_PAYING)
