/** The plug-in for Vendure on a real Vendure. */
import { runScenarios } from '../platforms.suite.ts'
import { CHANGED_AFTER_PAYING, REFUNDS_AT_ONCE } from '../scenarios.ts'
import { VENDURE } from './driver.ts'

runScenarios(VENDURE, CHANGED_AFTER_PAYING, REFUNDS_AT_ONCE)
