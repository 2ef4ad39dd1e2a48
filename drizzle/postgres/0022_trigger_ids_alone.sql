ALTER TABLE "queued_runs" DROP COLUMN "hook_id";--> statement-breakpoint
ALTER TABLE "queued_runs" DROP COLUMN "webhook_id";