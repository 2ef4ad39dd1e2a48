ALTER TABLE "queued_runs" DROP COLUMN "input";--> statement-breakpoint
ALTER TABLE "queued_runs" DROP COLUMN "options";