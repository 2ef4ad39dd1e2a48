import { describeCaseTasks } from './describe-case-tasks.ts'

describeCaseTasks('PostgreSQL')
