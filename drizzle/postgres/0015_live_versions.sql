ALTER TABLE "functions" ADD COLUMN "earlier_live_ids" text;--> statement-breakpoint
ALTER TABLE "functions" ADD COLUMN "pruned_to_id" bigint DEFAULT 0 NOT NULL;